"""The scene of a benchmark, as hooke-bench writes it, and what every program prints."""

import json
import sys
import time

import numpy as np


class Scene:
    """Masses and springs, pins, a start."""

    def __init__(self, path):
        data = open(path, "rb").read()
        n, m, p = np.frombuffer(data, "<u8", 3)
        self.n = int(n)
        numbers = np.frombuffer(data, "<f8", 4 + 7 * self.n, 24)
        self.h, self.gravity = float(numbers[0]), numbers[1:4]
        self.masses = numbers[4 : 4 + self.n]
        self.positions = numbers[4 + self.n : 4 + 4 * self.n].reshape(-1, 3)
        self.velocities = numbers[4 + 4 * self.n :].reshape(-1, 3)
        spring = np.dtype([("i", "<u4"), ("j", "<u4"), ("rest", "<f8"), ("stiffness", "<f8")])
        at = 24 + numbers.nbytes
        self.springs = np.frombuffer(data, spring, int(m), at)
        self.pins = np.frombuffer(data, "<u4", int(p), at + self.springs.nbytes)


def run(build):
    """Steps a scene: `build(scene, iterations)` returns `step()` and `state()`."""
    scene, result, steps, iterations = sys.argv[1:5]
    scene, steps, iterations = Scene(scene), int(steps), int(iterations)
    clock = time.perf_counter()
    step, state = build(scene, iterations)
    setup = time.perf_counter() - clock
    seconds = []
    for _ in range(steps):
        clock = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - clock)
    x, v = state()
    np.concatenate([np.ravel(x), np.ravel(v)]).astype("<f8").tofile(result)
    told = {"setup": setup, "steps": seconds, "solve": [], "iterations": [iterations] * steps}
    print(json.dumps(told))
