"""Taichi: one linearized step of backward Euler (Baraff & Witkin 1998), solved by conjugate gradients.

Taichi is a language: this is the cloth as its examples write one, a loop over springs that adds to
both ends, and a matrix that is only ever multiplied with.
"""

import sys

import numpy as np
import taichi as ti

from scene import run

ti.init(arch=ti.cpu, default_fp=ti.f64, cpu_max_num_threads=int(sys.argv[5]), log_level=ti.ERROR)

TOLERANCE = 1e-6


@ti.data_oriented
class Cloth:
    def __init__(self, scene, iterations):
        self.h, self.most = scene.h, iterations
        self.gravity = ti.Vector(scene.gravity)
        vectors = {"x": scene.positions, "v": scene.velocities}
        for name in ("force", "dv", "r", "p", "Ap"):
            vectors[name] = np.zeros((scene.n, 3))
        for name, values in vectors.items():
            field = ti.Vector.field(3, float, scene.n)
            field.from_numpy(np.array(values))
            setattr(self, name, field)
        free = np.ones(scene.n)
        free[scene.pins] = 0.0
        m = len(scene.springs)
        numbers = {"mass": scene.masses, "free": free}
        numbers |= {"rest": scene.springs["rest"], "k": scene.springs["stiffness"]}
        for name, values in numbers.items():
            field = ti.field(float, len(values))
            field.from_numpy(np.array(values))
            setattr(self, name, field)
        self.ends = ti.Vector.field(2, int, m)
        self.ends.from_numpy(np.stack([scene.springs["i"], scene.springs["j"]], 1).astype(np.int32))
        self.block = ti.Matrix.field(3, 3, float, m)

    @ti.kernel
    def forces(self):
        for i in self.x:
            self.force[i] = self.mass[i] * self.gravity
        for s in self.ends:
            i, j = self.ends[s]
            along = self.x[i] - self.x[j]
            length = along.norm()
            d = along / length
            pull = self.k[s] * (length - self.rest[s]) * d
            self.force[i] -= pull
            self.force[j] += pull
            across = ti.max(0.0, 1.0 - self.rest[s] / length)
            same = ti.Matrix.identity(float, 3)
            self.block[s] = self.k[s] * (across * same + (1.0 - across) * d.outer_product(d))

    @ti.kernel
    def multiply(self, p: ti.template(), out: ti.template()):
        """(M + h² K) p."""
        for i in p:
            out[i] = self.mass[i] * p[i]
        for s in self.ends:
            i, j = self.ends[s]
            pull = self.h * self.h * (self.block[s] @ (p[i] - p[j]))
            out[i] += pull
            out[j] -= pull
        for i in p:
            out[i] *= self.free[i]

    @ti.kernel
    def begin(self):
        """r = h (f − h K v), where Ap is (M + h² K) v."""
        for i in self.r:
            pull = self.Ap[i] - self.mass[i] * self.v[i]
            self.r[i] = self.free[i] * (self.h * self.force[i] - pull)
            self.p[i] = self.r[i]
            self.dv[i] = ti.Vector([0.0, 0.0, 0.0])

    @ti.kernel
    def dot(self, a: ti.template(), b: ti.template()) -> float:
        sum = 0.0
        for i in a:
            sum += a[i].dot(b[i])
        return sum

    @ti.kernel
    def add(self, to: ti.template(), factor: float, what: ti.template()):
        for i in to:
            to[i] += factor * what[i]

    @ti.kernel
    def turn(self, beta: float):
        for i in self.p:
            self.p[i] = self.r[i] + beta * self.p[i]

    def step(self):
        self.forces()
        self.multiply(self.v, self.Ap)
        self.begin()
        rr = self.dot(self.r, self.r)
        goal = TOLERANCE**2 * rr
        for _ in range(self.most):
            if rr <= goal:
                break
            self.multiply(self.p, self.Ap)
            alpha = rr / self.dot(self.p, self.Ap)
            self.add(self.dv, alpha, self.p)
            self.add(self.r, -alpha, self.Ap)
            before, rr = rr, self.dot(self.r, self.r)
            self.turn(rr / before)
        self.add(self.v, 1.0, self.dv)
        self.add(self.x, self.h, self.v)
        ti.sync()


def build(scene, iterations):
    # The first calls compile.
    Cloth(scene, 1).step()
    cloth = Cloth(scene, iterations)
    cloth.step()
    cloth.x.from_numpy(np.array(scene.positions))
    cloth.v.from_numpy(np.array(scene.velocities))
    return cloth.step, lambda: (cloth.x.to_numpy(), cloth.v.to_numpy())


run(build)
