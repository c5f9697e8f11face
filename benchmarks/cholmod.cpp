// Fast mass-spring with CHOLMOD: one n×n supernodal factor for three right-hand sides.
// Liu, Bargteil, O'Brien & Kavan 2013; Chen, Davis, Hager & Rajamanickam 2008.
// usage: PROGRAM SCENE RESULT STEPS ITERATIONS
#include "scene.hpp"

#include <cmath>
#include <suitesparse/cholmod.h>

int main(int count, char** arguments) {
    if (count != 5) Scene::fail("usage: PROGRAM SCENE RESULT STEPS ITERATIONS");
    Scene scene(arguments[1]);
    int steps = std::atoi(arguments[3]), iterations = std::atoi(arguments[4]);
    size_t n = scene.masses.size();
    double h = scene.h, h2 = h * h;
    std::vector<double> x = scene.positions, v = scene.velocities;
    std::vector<int> unknown = scene.unknowns();
    size_t free = n - scene.pins.size();
    Times times;

    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    double start = seconds();
    size_t most = free + 3 * scene.springs.size();
    cholmod_triplet* entries = cholmod_allocate_triplet(free, free, most, -1, CHOLMOD_REAL, &common);
    auto add = [&](int row, int column, double value) {
        static_cast<int*>(entries->i)[entries->nnz] = row;
        static_cast<int*>(entries->j)[entries->nnz] = column;
        static_cast<double*>(entries->x)[entries->nnz++] = value;
    };
    std::vector<double> pinned(3 * free, 0.0);  // by column, as all right-hand sides
    for (size_t i = 0; i < n; i++)
        if (unknown[i] >= 0) add(unknown[i], unknown[i], scene.masses[i]);
    for (const Spring& spring : scene.springs) {
        double k = h2 * spring.stiffness;
        int i = unknown[spring.i], j = unknown[spring.j];
        if (i >= 0) add(i, i, k);
        if (j >= 0) add(j, j, k);
        if (i >= 0 && j >= 0) add(std::max(i, j), std::min(i, j), -k);
        for (int a = 0; a < 3; a++) {
            if (i >= 0 && j < 0) pinned[a * free + i] += k * x[3 * spring.j + a];
            if (j >= 0 && i < 0) pinned[a * free + j] += k * x[3 * spring.i + a];
        }
    }
    cholmod_sparse* matrix = cholmod_triplet_to_sparse(entries, most, &common);
    cholmod_factor* factor = cholmod_analyze(matrix, &common);
    if (!cholmod_factorize(matrix, factor, &common) || common.status != CHOLMOD_OK)
        Scene::fail("the matrix could not be factored");
    times.setup = seconds() - start;

    cholmod_dense* right = cholmod_zeros(free, 3, CHOLMOD_REAL, &common);
    cholmod_dense *solution = nullptr, *work = nullptr, *more = nullptr;
    double* b = static_cast<double*>(right->x);
    std::vector<double> y(3 * n), constant(3 * free);
    for (int step = 0; step < steps; step++) {
        double start = seconds(), solving = 0;
        for (size_t i = 0; i < n; i++) {
            for (int a = 0; a < 3; a++) {
                y[3 * i + a] = x[3 * i + a];
                if (unknown[i] < 0) continue;
                y[3 * i + a] += h * v[3 * i + a] + h2 * scene.gravity[a];
                size_t at = a * free + unknown[i];
                constant[at] = scene.masses[i] * y[3 * i + a] + pinned[at];
            }
        }
        std::vector<double> before = x;
        x = y;
        for (int iteration = 0; iteration < iterations; iteration++) {
            std::copy(constant.begin(), constant.end(), b);
            for (const Spring& spring : scene.springs) {
                const double *p = &x[3 * spring.i], *q = &x[3 * spring.j];
                double along[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
                double length = std::sqrt(along[0] * along[0] + along[1] * along[1] +
                                          along[2] * along[2]);
                double pull = h2 * spring.stiffness * spring.rest / length;
                int i = unknown[spring.i], j = unknown[spring.j];
                for (int a = 0; a < 3; a++) {
                    if (i >= 0) b[a * free + i] += pull * along[a];
                    if (j >= 0) b[a * free + j] -= pull * along[a];
                }
            }
            double clock = seconds();
            cholmod_solve2(CHOLMOD_A, factor, right, nullptr, &solution, nullptr, &work, &more,
                           &common);
            solving += seconds() - clock;
            const double* found = static_cast<const double*>(solution->x);
            for (size_t i = 0; i < n; i++)
                for (int a = 0; a < 3 && unknown[i] >= 0; a++)
                    x[3 * i + a] = found[a * free + unknown[i]];
        }
        for (size_t i = 0; i < 3 * n; i++) v[i] = (x[i] - before[i]) / h;
        times.steps.push_back(seconds() - start);
        times.solve.push_back(solving);
        times.iterations.push_back(iterations);
    }
    times.finish(arguments[2], x.data(), v.data(), 3 * n);
}
