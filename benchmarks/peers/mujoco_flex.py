"""MuJoCo's flexes: the springs themselves, which it steps explicitly, or a membrane as stiff."""

import sys

import mujoco
import numpy as np

from scene import run

THICKNESS = 1e-3


def words(numbers):
    return " ".join(str(number) for number in np.ravel(numbers))


def bodies(scene, pinned):
    """A body for every particle, free to slide along three axes unless it is pinned."""
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    for i, (x, mass) in enumerate(zip(scene.positions, scene.masses)):
        free = f'<inertial pos="0 0 0" mass="{mass}" diaginertia="1e-9 1e-9 1e-9"/>{slides}'
        yield f'<body name="b{i}" pos="{words(x)}">{"" if i in pinned else free}</body>'


def springs(scene):
    """For every stiffness (N/m) the pairs of particles."""
    for stiffness in np.unique(scene.springs["stiffness"]):
        family = scene.springs[scene.springs["stiffness"] == stiffness]
        ends = np.stack([family["i"], family["j"]], axis=1)
        yield 1, ends, f'<edge stiffness="{stiffness}"/>'


def membrane(scene):
    """Two triangles for every cell of the grid."""
    n = round(np.sqrt(scene.n))
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    corners = np.concatenate([np.stack([i, i + 1, i + n], 1), np.stack([i + 1, i + n + 1, i + n], 1)])
    # Stretched along a thread, structural, shear and bend springs pull with k + k' + 4k'' per meter.
    structural, shear, bend = sorted(np.unique(scene.springs["stiffness"]), reverse=True)
    young = (structural + shear + 4 * bend) / THICKNESS
    yield 2, corners, (
        f'<elasticity young="{young}" thickness="{THICKNESS}" poisson="0" elastic2d="stretch"/>'
    )


def build(scene, iterations):
    as_springs = sys.argv[5] == "springs"
    pinned = set(scene.pins.tolist())
    names = " ".join(f"b{i}" for i in range(scene.n))
    flexes = "".join(
        f'<flex name="{k}" dim="{dim}" radius="1e-5" body="{names}" element="{words(element)}">'
        f'{elasticity}<contact contype="0" conaffinity="0" selfcollide="none"/></flex>'
        for k, (dim, element, elasticity) in enumerate((springs if as_springs else membrane)(scene))
    )
    # Explicit steps must be short: half of what is stable for these springs.
    parts = int(np.ceil(scene.h * np.sqrt(scene.n) / 0.005)) if as_springs else 1
    integrator = "Euler" if as_springs else "discrete"
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{scene.h / parts}" gravity="{words(scene.gravity)}" '
        f'integrator="{integrator}" solver="CG" iterations="{iterations}"/>'
        f'<worldbody>{"".join(bodies(scene, pinned))}</worldbody>'
        f"<deformable>{flexes}</deformable></mujoco>"
    )
    data = mujoco.MjData(model)
    free = [i for i in range(scene.n) if i not in pinned]
    data.qvel[:] = scene.velocities[free].ravel()

    def state():
        x, v = scene.positions.copy(), np.zeros((scene.n, 3))
        x[free] += data.qpos.reshape(-1, 3)
        v[free] = data.qvel.reshape(-1, 3)
        return x, v

    return lambda: mujoco.mj_step(model, data, parts), state


run(build)
