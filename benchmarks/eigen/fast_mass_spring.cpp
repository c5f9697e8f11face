// Fast mass-spring with Eigen and one n×n matrix, factored once, for three right-hand sides.
// Liu, Bargteil, O'Brien & Kavan 2013: the matrix acts on x, y and z alike.
// usage: PROGRAM SCENE RESULT STEPS ITERATIONS
#include "../scene.hpp"

#include <Eigen/Sparse>

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;
using Eigen::RowVector3d;

int main(int count, char** arguments) {
    if (count != 5) Scene::fail("usage: PROGRAM SCENE RESULT STEPS ITERATIONS");
    Scene scene(arguments[1]);
    int steps = std::atoi(arguments[3]), iterations = std::atoi(arguments[4]);
    size_t n = scene.masses.size();
    double h2 = scene.h * scene.h;
    Points x = Eigen::Map<Points>(scene.positions.data(), n, 3);
    Points v = Eigen::Map<Points>(scene.velocities.data(), n, 3);
    RowVector3d gravity(scene.gravity);
    std::vector<int> unknown = scene.unknowns();
    size_t free = n - scene.pins.size();
    Times times;

    double start = seconds();
    std::vector<Triplet> entries;
    Columns pinned = Columns::Zero(free, 3);
    for (size_t i = 0; i < n; i++)
        if (unknown[i] >= 0) entries.emplace_back(unknown[i], unknown[i], scene.masses[i]);
    for (const Spring& spring : scene.springs) {
        double k = h2 * spring.stiffness;
        uint32_t ends[2] = {spring.i, spring.j};
        for (int e = 0; e < 2; e++) {
            int own = unknown[ends[e]], other = unknown[ends[1 - e]];
            if (own < 0) continue;
            entries.emplace_back(own, own, k);
            if (other >= 0)
                entries.emplace_back(own, other, -k);
            else
                pinned.row(own) += k * x.row(ends[1 - e]);
        }
    }
    Sparse matrix(free, free);
    matrix.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLLT<Sparse> solver(matrix);
    if (solver.info() != Eigen::Success) Scene::fail("the matrix could not be factored");
    times.setup = seconds() - start;

    Points y(n, 3);
    Columns constant(free, 3), b(free, 3), solution(free, 3);
    for (int step = 0; step < steps; step++) {
        double start = seconds(), solving = 0;
        y = x;
        for (size_t i = 0; i < n; i++) {
            int own = unknown[i];
            if (own < 0) continue;
            y.row(i) += scene.h * v.row(i) + h2 * gravity;
            constant.row(own) = scene.masses[i] * y.row(i) + pinned.row(own);
        }
        Points before = x;
        x = y;
        for (int iteration = 0; iteration < iterations; iteration++) {
            b = constant;
            for (const Spring& spring : scene.springs) {
                RowVector3d along = x.row(spring.i) - x.row(spring.j);
                RowVector3d pull = (h2 * spring.stiffness * spring.rest) * along.normalized();
                int i = unknown[spring.i], j = unknown[spring.j];
                if (i >= 0) b.row(i) += pull;
                if (j >= 0) b.row(j) -= pull;
            }
            double clock = seconds();
            solution = solver.solve(b);
            solving += seconds() - clock;
            for (size_t i = 0; i < n; i++)
                if (unknown[i] >= 0) x.row(i) = solution.row(unknown[i]);
        }
        v = (x - before) / scene.h;
        times.steps.push_back(seconds() - start);
        times.solve.push_back(solving);
        times.iterations.push_back(iterations);
    }
    times.finish(arguments[2], x.data(), v.data(), 3 * n);
}
