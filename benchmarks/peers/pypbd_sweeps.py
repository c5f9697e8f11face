"""pyPBD: distance constraints, position-based or with compliance (Macklin et al. 2016)."""

import sys

import numpy as np
import pypbd

from scene import run


def build(scene, iterations):
    simulation = pypbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    particles = model.getParticles()
    for i in range(scene.n):
        particles.addVertex(scene.positions[i])
        particles.setMass(i, scene.masses[i])
        particles.setVelocity(i, scene.velocities[i])
    for pin in scene.pins:
        particles.setMass(int(pin), 0.0)
    extended = sys.argv[5] == "xpbd"
    for spring in scene.springs:
        i, j, stiffness = int(spring["i"]), int(spring["j"]), spring["stiffness"]
        if extended:
            model.addDistanceConstraint_XPBD(i, j, stiffness)
        else:
            model.addDistanceConstraint(i, j, 1.0)
    pypbd.TimeManager.getCurrent().setTimeStepSize(scene.h)
    controller = simulation.getTimeStep()
    controller.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, iterations)
    # Its own gravity is the scene's.
    assert np.array_equal(scene.gravity, [0.0, -9.81, 0.0])

    def state():
        indices = range(scene.n)
        return (
            np.array([particles.getPosition(i) for i in indices]),
            np.array([particles.getVelocity(i) for i in indices]),
        )

    return lambda: controller.step(model), state


run(build)
