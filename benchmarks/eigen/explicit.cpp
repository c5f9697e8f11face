// Symplectic Euler with Eigen's small vectors: v += h f/m, then x += h v.
// usage: PROGRAM SCENE RESULT STEPS
#include "../scene.hpp"

#include <Eigen/Dense>

using Eigen::Vector3d;

int main(int count, char** arguments) {
    if (count != 4) Scene::fail("usage: PROGRAM SCENE RESULT STEPS");
    Scene scene(arguments[1]);
    int steps = std::atoi(arguments[3]);
    size_t n = scene.masses.size();
    Vector3d gravity(scene.gravity);
    std::vector<Vector3d> x(n), v(n), force(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = Vector3d(&scene.positions[3 * i]);
        v[i] = Vector3d(&scene.velocities[3 * i]);
    }
    std::vector<int> unknown = scene.unknowns();
    Times times;
    for (int step = 0; step < steps; step++) {
        double start = seconds();
        for (size_t i = 0; i < n; i++) force[i] = scene.masses[i] * gravity;
        for (const Spring& spring : scene.springs) {
            Vector3d along = x[spring.i] - x[spring.j];
            Vector3d pull = spring.stiffness * (1 - spring.rest / along.norm()) * along;
            force[spring.i] -= pull;
            force[spring.j] += pull;
        }
        for (size_t i = 0; i < n; i++) {
            if (unknown[i] < 0) continue;
            v[i] += scene.h / scene.masses[i] * force[i];
            x[i] += scene.h * v[i];
        }
        times.steps.push_back(seconds() - start);
    }
    static_assert(sizeof(Vector3d) == 3 * sizeof(double));
    times.finish(arguments[2], x[0].data(), v[0].data(), 3 * n);
}
