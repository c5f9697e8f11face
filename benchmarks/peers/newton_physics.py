"""Newton, the engine on NVIDIA's Warp, on the processor: XPBD, or vertex block descent (VBD)."""

import sys

import newton
import numpy as np
import warp

from scene import run


def build(scene, iterations):
    warp.config.quiet = True
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=tuple(scene.gravity))
    pinned = set(scene.pins.tolist())
    for i, (x, v) in enumerate(zip(scene.positions, scene.velocities)):
        builder.add_particle(tuple(x), tuple(v), 0.0 if i in pinned else scene.masses[i])
    for spring in scene.springs:
        builder.add_spring(int(spring["i"]), int(spring["j"]), spring["stiffness"], 0.0, 0.0)
    block_descent = sys.argv[5] == "vbd"
    if block_descent:
        builder.color()
    model = builder.finalize(device="cpu")
    kind = newton.solvers.SolverVBD if block_descent else newton.solvers.SolverXPBD
    solver = kind(model, iterations=iterations)
    states = [model.state(), model.state()]
    control = model.control()

    def step():
        states[0].clear_forces()
        solver.step(states[0], states[1], control, None, scene.h)
        states.reverse()

    def state():
        return np.array(states[0].particle_q.numpy()), np.array(states[0].particle_qd.numpy())

    # The first call compiles.
    step()
    states[:] = [model.state(), model.state()]
    return step, state


run(build)
