// Backward Euler by Newton's method with Eigen as courses write it: a new matrix from triplets, a
// new analysis and a new factor in every iteration; the negative part of every spring's Hessian is
// dropped, so that the matrix is positive definite.
// usage: PROGRAM SCENE RESULT STEPS ITERATIONS TOLERANCE LINE_SEARCH
#include "../scene.hpp"

#include <Eigen/Sparse>

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Objective {
    const Scene& scene;
    const std::vector<int>& unknown;
    VectorXd y;

    // E + (x−y)ᵀM(x−y)/2h².
    double value(const VectorXd& x) const {
        double energy = 0;
        for (size_t i = 0; i < scene.masses.size(); i++)
            energy += scene.masses[i] * (x - y).segment<3>(3 * i).squaredNorm();
        energy /= 2 * scene.h * scene.h;
        for (const Spring& spring : scene.springs) {
            double stretch =
                (x.segment<3>(3 * spring.i) - x.segment<3>(3 * spring.j)).norm() - spring.rest;
            energy += 0.5 * spring.stiffness * stretch * stretch;
        }
        return energy;
    }

    // ∇E on free coordinates.
    VectorXd elastic(const VectorXd& x, size_t free) const {
        VectorXd gradient = VectorXd::Zero(3 * free);
        for (const Spring& spring : scene.springs) {
            Vector3d along = x.segment<3>(3 * spring.i) - x.segment<3>(3 * spring.j);
            Vector3d pull = spring.stiffness * (1 - spring.rest / along.norm()) * along;
            int i = unknown[spring.i], j = unknown[spring.j];
            if (i >= 0) gradient.segment<3>(3 * i) += pull;
            if (j >= 0) gradient.segment<3>(3 * j) -= pull;
        }
        return gradient;
    }

    VectorXd gradient(const VectorXd& x, size_t free) const {
        VectorXd gradient = elastic(x, free);
        for (size_t i = 0; i < scene.masses.size(); i++)
            if (unknown[i] >= 0)
                gradient.segment<3>(3 * unknown[i]) +=
                    scene.masses[i] / (scene.h * scene.h) * (x - y).segment<3>(3 * i);
        return gradient;
    }

    Sparse hessian(const VectorXd& x, size_t free) const {
        std::vector<Triplet> entries;
        entries.reserve(36 * scene.springs.size() + 3 * free);
        for (size_t i = 0; i < scene.masses.size(); i++)
            for (int a = 0; a < 3 && unknown[i] >= 0; a++)
                entries.emplace_back(3 * unknown[i] + a, 3 * unknown[i] + a,
                                     scene.masses[i] / (scene.h * scene.h));
        for (const Spring& spring : scene.springs) {
            Vector3d along = x.segment<3>(3 * spring.i) - x.segment<3>(3 * spring.j);
            double length = along.norm(), k = spring.stiffness;
            Vector3d d = along / length;
            double transverse = std::max(0.0, k * (1 - spring.rest / length));
            Matrix3d block =
                (k - transverse) * d * d.transpose() + transverse * Matrix3d::Identity();
            int i = unknown[spring.i], j = unknown[spring.j];
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    if (i >= 0) entries.emplace_back(3 * i + a, 3 * i + b, block(a, b));
                    if (j >= 0) entries.emplace_back(3 * j + a, 3 * j + b, block(a, b));
                    if (i < 0 || j < 0) continue;
                    entries.emplace_back(3 * i + a, 3 * j + b, -block(a, b));
                    entries.emplace_back(3 * j + a, 3 * i + b, -block(a, b));
                }
            }
        }
        Sparse matrix(3 * free, 3 * free);
        matrix.setFromTriplets(entries.begin(), entries.end());
        return matrix;
    }
};

int main(int count, char** arguments) {
    if (count != 7) Scene::fail("usage: PROGRAM SCENE RESULT STEPS ITERATIONS TOLERANCE LINE_SEARCH");
    Scene scene(arguments[1]);
    int steps = std::atoi(arguments[3]), most = std::atoi(arguments[4]);
    double tolerance = std::atof(arguments[5]);
    bool search = std::atoi(arguments[6]);
    size_t n = scene.masses.size(), free = n - scene.pins.size();
    std::vector<int> unknown = scene.unknowns();
    VectorXd x = Eigen::Map<VectorXd>(scene.positions.data(), 3 * n);
    VectorXd v = Eigen::Map<VectorXd>(scene.velocities.data(), 3 * n);
    Vector3d gravity(scene.gravity);
    Eigen::SimplicialLDLT<Sparse> solver;
    Objective g{scene, unknown, VectorXd(3 * n)};
    Times times;

    for (int step = 0; step < steps; step++) {
        double start = seconds(), solving = 0, weight = 0;
        g.y = x;
        for (size_t i = 0; i < n; i++) {
            if (unknown[i] < 0) continue;
            g.y.segment<3>(3 * i) +=
                scene.h * v.segment<3>(3 * i) + scene.h * scene.h * gravity;
            weight += (scene.masses[i] * gravity).squaredNorm();
        }
        double goal = tolerance * (std::sqrt(weight) + g.elastic(x, free).norm());
        VectorXd before = x;
        x = g.y;
        int iterations = 0;
        for (;; iterations++) {
            VectorXd gradient = g.gradient(x, free);
            if (gradient.norm() <= goal) break;
            if (iterations == most) {
                times.converged = false;
                break;
            }
            solver.compute(g.hessian(x, free));
            if (solver.info() != Eigen::Success) Scene::fail("the matrix could not be factored");
            double clock = seconds();
            VectorXd descent = solver.solve(-gradient);
            solving += seconds() - clock;
            VectorXd direction = VectorXd::Zero(3 * n);
            for (size_t i = 0; i < n; i++)
                if (unknown[i] >= 0)
                    direction.segment<3>(3 * i) = descent.segment<3>(3 * unknown[i]);
            double alpha = 1;
            if (search) {
                double here = g.value(x), slope = gradient.dot(descent);
                double noise = 1e-14 * std::abs(here);
                while (alpha > 1e-12 &&
                       g.value(x + alpha * direction) > here + 1e-4 * alpha * slope + noise)
                    alpha *= 0.5;
            }
            x += alpha * direction;
        }
        v = (x - before) / scene.h;
        times.steps.push_back(seconds() - start);
        times.solve.push_back(solving);
        times.iterations.push_back(iterations);
        times.factorizations.push_back(iterations);
    }
    times.finish(arguments[2], x.data(), v.data(), 3 * n);
}
