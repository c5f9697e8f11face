// Fast mass-spring with Eigen as courses write it: one 3n×3n matrix, factored once.
// Liu, Bargteil, O'Brien & Kavan 2013: local d = r (p − q)/|p − q| for every spring,
// global (M + h²L) x = h² J d + M y.
// usage: PROGRAM SCENE RESULT STEPS ITERATIONS
#include "../scene.hpp"

#include <Eigen/Sparse>

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;
using Eigen::Vector3d;
using Eigen::VectorXd;

int main(int count, char** arguments) {
    if (count != 5) Scene::fail("usage: PROGRAM SCENE RESULT STEPS ITERATIONS");
    Scene scene(arguments[1]);
    int steps = std::atoi(arguments[3]), iterations = std::atoi(arguments[4]);
    size_t n = scene.masses.size(), m = scene.springs.size();
    double h2 = scene.h * scene.h;
    VectorXd x = Eigen::Map<VectorXd>(scene.positions.data(), 3 * n);
    VectorXd v = Eigen::Map<VectorXd>(scene.velocities.data(), 3 * n);
    Vector3d gravity(scene.gravity);
    std::vector<int> unknown = scene.unknowns();
    size_t free = n - scene.pins.size();
    Times times;

    double start = seconds();
    std::vector<Triplet> entries, directions;
    VectorXd mass(3 * free), pinned = VectorXd::Zero(3 * free);
    for (size_t i = 0; i < n; i++) {
        if (unknown[i] < 0) continue;
        for (int a = 0; a < 3; a++) {
            int row = 3 * unknown[i] + a;
            mass[row] = scene.masses[i];
            entries.emplace_back(row, row, scene.masses[i]);
        }
    }
    for (size_t s = 0; s < m; s++) {
        const Spring& spring = scene.springs[s];
        double k = spring.stiffness;
        uint32_t ends[2] = {spring.i, spring.j};
        for (int e = 0; e < 2; e++) {
            int own = unknown[ends[e]], other = unknown[ends[1 - e]];
            if (own < 0) continue;
            for (int a = 0; a < 3; a++) {
                entries.emplace_back(3 * own + a, 3 * own + a, h2 * k);
                directions.emplace_back(3 * own + a, 3 * s + a, e == 0 ? k : -k);
                if (other >= 0)
                    entries.emplace_back(3 * own + a, 3 * other + a, -h2 * k);
                else
                    pinned[3 * own + a] += h2 * k * x[3 * ends[1 - e] + a];
            }
        }
    }
    Sparse matrix(3 * free, 3 * free), J(3 * free, 3 * m);
    matrix.setFromTriplets(entries.begin(), entries.end());
    J.setFromTriplets(directions.begin(), directions.end());
    Eigen::SimplicialLLT<Sparse> solver(matrix);
    if (solver.info() != Eigen::Success) Scene::fail("the matrix could not be factored");
    times.setup = seconds() - start;

    VectorXd d(3 * m), y(3 * n), My(3 * free), b(3 * free), solution(3 * free);
    for (int step = 0; step < steps; step++) {
        double start = seconds(), solving = 0;
        for (size_t i = 0; i < n; i++) {
            y.segment<3>(3 * i) = x.segment<3>(3 * i);
            if (unknown[i] < 0) continue;
            y.segment<3>(3 * i) += scene.h * v.segment<3>(3 * i) + h2 * gravity;
            My.segment<3>(3 * unknown[i]) = scene.masses[i] * y.segment<3>(3 * i);
        }
        VectorXd before = x;
        x = y;
        for (int iteration = 0; iteration < iterations; iteration++) {
            for (size_t s = 0; s < m; s++) {
                const Spring& spring = scene.springs[s];
                Vector3d along = x.segment<3>(3 * spring.i) - x.segment<3>(3 * spring.j);
                d.segment<3>(3 * s) = spring.rest * along.normalized();
            }
            b = h2 * (J * d) + My + pinned;
            double clock = seconds();
            solution = solver.solve(b);
            solving += seconds() - clock;
            for (size_t i = 0; i < n; i++)
                if (unknown[i] >= 0) x.segment<3>(3 * i) = solution.segment<3>(3 * unknown[i]);
        }
        v = (x - before) / scene.h;
        times.steps.push_back(seconds() - start);
        times.solve.push_back(solving);
        times.iterations.push_back(iterations);
    }
    times.finish(arguments[2], x.data(), v.data(), 3 * n);
}
