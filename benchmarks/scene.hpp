// The scene of a benchmark, as hooke-bench writes it, and what every program prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Spring {
    uint32_t i, j;
    double rest, stiffness;
};

struct Scene {
    double h, gravity[3];
    std::vector<double> masses, positions, velocities;  // n, 3n, 3n
    std::vector<Spring> springs;
    std::vector<uint32_t> pins;

    explicit Scene(const char* path) {
        FILE* file = std::fopen(path, "rb");
        if (!file) fail("cannot open the scene");
        uint64_t counts[3];
        take(file, counts, 3);
        take(file, &h, 1);
        take(file, gravity, 3);
        masses.resize(counts[0]);
        positions.resize(3 * counts[0]);
        velocities.resize(3 * counts[0]);
        springs.resize(counts[1]);
        pins.resize(counts[2]);
        take(file, masses.data(), masses.size());
        take(file, positions.data(), positions.size());
        take(file, velocities.data(), velocities.size());
        take(file, springs.data(), springs.size());
        take(file, pins.data(), pins.size());
        std::fclose(file);
    }

    // For every particle its place among those that are free, −1 where it is pinned.
    std::vector<int> unknowns() const {
        std::vector<int> place(masses.size(), 0);
        for (uint32_t pin : pins) place[pin] = -1;
        int free = 0;
        for (int& p : place)
            if (p == 0) p = free++;
        return place;
    }

    static void fail(const char* why) {
        std::fprintf(stderr, "%s\n", why);
        std::exit(1);
    }

private:
    template <class T>
    static void take(FILE* file, T* into, size_t count) {
        if (std::fread(into, sizeof(T), count, file) != count) fail("the scene ends too early");
    }
};

inline double seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The times of a run, printed as one line of JSON.
struct Times {
    double setup = 0;
    std::vector<double> steps, solve;
    std::vector<int> iterations, factorizations;
    bool converged = true;

    void print() const {
        std::printf("{\"setup\": %.9e", setup);
        list("steps", "%.9e", steps);
        list("solve", "%.9e", solve);
        list("iterations", "%d", iterations);
        list("factorizations", "%d", factorizations);
        std::printf(", \"converged\": %s}\n", converged ? "true" : "false");
    }

    // Prints the times and writes positions and velocities.
    void finish(const char* path, const double* x, const double* v, size_t count) const {
        FILE* file = std::fopen(path, "wb");
        if (!file || std::fwrite(x, sizeof(double), count, file) != count ||
            std::fwrite(v, sizeof(double), count, file) != count || std::fclose(file) != 0)
            Scene::fail("cannot write the result");
        print();
    }

private:
    template <class T>
    static void list(const char* name, const char* format, const std::vector<T>& values) {
        std::printf(", \"%s\": [", name);
        for (size_t i = 0; i < values.size(); i++) {
            if (i) std::printf(", ");
            std::printf(format, values[i]);
        }
        std::printf("]");
    }
};
