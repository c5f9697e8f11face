"""Reads Hooke's exports with other people's libraries and compares every number.

Usage: python readers.py FOLDER [EXPECTED.json]

FOLDER is what `cargo run --example export_sample -- FOLDER` wrote; the expected numbers default
to FOLDER/expected.json. Prints one line per check; exits with 1 if any fails.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pygltflib
import pyvista
import trimesh
from pxr import Usd, UsdGeom, UsdValidation

SINGLE = 2e-7  # relative error of a 32-bit float, doubled
MAX_GLB_FRAMES = 250

failures = 0


def check(what, passed, detail=""):
    """Prints the outcome of one check."""
    global failures
    failures += not passed
    print(f"{'ok  ' if passed else 'FAIL'} {what}{': ' + str(detail) if detail != '' else ''}")


def same(what, found, wanted, tolerance=0.0):
    """Checks an array against the expected one; a tolerance of 0 asks for the same bits."""
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    if found.shape != wanted.shape:
        check(what, False, f"shape {found.shape} instead of {wanted.shape}")
        return
    error = np.abs(found - wanted).max(initial=0.0)
    check(what, error <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0)), f"largest error {error:.1e}")


class Expected:
    """The numbers of one sample."""

    def __init__(self, data):
        self.name, self.fps = data["name"], data["fps"]
        self.times = np.array(data["times"])
        self.positions = np.array(data["positions"])
        self.velocities = np.array(data["velocities"])
        self.triangles = np.array(data["triangles"], int).reshape(-1, 3)
        self.edges = np.array(data["edges"], int).reshape(-1, 2)
        self.tets = np.array(data["tets"], int).reshape(-1, 4)
        self.uvs = None if data["uvs"] is None else np.array(data["uvs"])

    def drawn(self):
        """What renderers show: triangles, springs or points."""
        if len(self.triangles) or len(self.tets):
            return "triangles"
        return "lines" if len(self.edges) else "points"

    def surface(self):
        """The triangles, or the faces that only one tetrahedron has, as a set."""
        if len(self.triangles):
            return face_set(self.triangles)
        seen = {}
        for tet in self.tets:
            for left_out in range(4):
                face = frozenset(np.delete(tet, left_out).tolist())
                seen[face] = seen.get(face, 0) + 1
        return {face for face, count in seen.items() if count == 1}


def face_set(faces):
    return {frozenset(face) for face in np.asarray(faces).tolist()}


def read_npz(path, want):
    with np.load(path) as data:
        check("npz arrays", sorted(data) == ["edges", "fps", "positions", "tets", "time", "triangles", "velocities"])
        check("npz types", data["positions"].dtype == np.float64 and data["edges"].dtype == np.uint32)
        for key, wanted in [
            ("time", want.times),
            ("positions", want.positions),
            ("velocities", want.velocities),
            ("triangles", want.triangles),
            ("edges", want.edges),
            ("tets", want.tets),
            ("fps", want.fps),
        ]:
            same(f"npz {key}", data[key], wanted)


def read_pc2(path, want):
    data = path.read_bytes()
    mark, version, points, start, rate, samples = np.frombuffer(
        data[:32], "S12,<i4,<i4,<f4,<f4,<i4"
    )[0].tolist()
    check("pc2 header", (mark, version, start, rate) == (b"POINTCACHE2", 1, 0.0, 1.0))
    cache = np.frombuffer(data[32:], "<f4").reshape(samples, points, 3)
    check("pc2 bits", np.array_equal(cache, want.positions.astype(np.float32)))
    text = path.with_suffix(".obj").read_text()
    check("pc2 mesh says the rate", f"# meters, y up, {want.fps} frames per second" in text)
    vertices = [line.split()[1:] for line in text.splitlines() if line.startswith("v ")]
    same("pc2 mesh vertices", np.array(vertices, float), want.positions[0])
    if want.drawn() == "triangles":
        mesh = trimesh.load(path.with_suffix(".obj"), process=False, maintain_order=True)
        check("pc2 mesh faces (trimesh)", face_set(mesh.faces) == want.surface())


def read_pvd(path, want):
    reader = pyvista.PVDReader(path)
    same("pvd times (pyvista)", reader.time_values, want.times)
    cells = {"triangles": {5: len(want.triangles), 10: len(want.tets)}, "lines": {3: len(want.edges)}}
    cells = cells.get(want.drawn(), {1: want.positions.shape[1]})
    points, velocities, stamps, kinds = [], [], [], []
    for time in reader.time_values:
        reader.set_active_time_value(time)
        grid = reader.read()[0]
        points.append(grid.points)
        velocities.append(grid.point_data["velocity"])
        stamps.append(grid.field_data["TimeValue"][0])
        kinds.append({k: int((grid.celltypes == k).sum()) for k in cells} | {"all": grid.n_cells})
    check("pvd double precision", points[0].dtype == np.float64)
    same("pvd positions", points, want.positions)
    same("pvd velocities", velocities, want.velocities)
    same("pvd time in each file", stamps, want.times)
    check("pvd cells", all(kind == cells | {"all": sum(cells.values())} for kind in kinds), kinds[0])
    corners = {10: want.tets, 5: want.triangles, 3: want.edges}
    for kind, found in grid.cells_dict.items():
        if kind in corners:
            check(f"pvd corners of cells of type {kind}", np.array_equal(found, corners[kind]))


def read_folder(kind, folder, want):
    files = sorted(folder.iterdir())
    check(f"{kind} number of files", len(files) == len(want.times), len(files))
    text = files[-1].read_bytes().decode("latin-1")
    check(f"{kind} says time and rate", f"time {float(want.times[-1])!r} s" in text and f"y up, {want.fps} frames" in text)
    if want.drawn() == "triangles":
        meshes = [trimesh.load(file, process=False, maintain_order=True) for file in files]
        same(f"{kind} vertices (trimesh)", [mesh.vertices for mesh in meshes], want.positions)
        check(f"{kind} faces (trimesh)", all(face_set(mesh.faces) == want.surface() for mesh in meshes))
        if want.uvs is not None and kind == "obj":
            same("obj texture coordinates (trimesh)", meshes[0].visual.uv, want.uvs)
    elif kind == "ply":
        shapes = [trimesh.load(file, process=False) for file in files]
        same("ply vertices (trimesh)", [shape.vertices for shape in shapes], want.positions)
        if want.drawn() == "lines":
            found = set()
            for entity in shapes[0].entities:
                found |= face_set(np.stack([entity.points[:-1], entity.points[1:]], axis=1))
            check("ply edges (trimesh)", found == face_set(want.edges))
    else:
        shapes = [pyvista.read(file) for file in files]
        same("obj vertices (pyvista)", [shape.points for shape in shapes], want.positions, SINGLE)
        cells, wanted = (shapes[0].lines, want.edges) if want.drawn() == "lines" else (
            shapes[0].verts,
            np.arange(want.positions.shape[1])[:, None],
        )
        found = cells.reshape(-1, wanted.shape[1] + 1)[:, 1:]
        check(f"obj {want.drawn()} (pyvista)", np.array_equal(found, wanted))


def read_usda(path, want):
    stage = Usd.Stage.Open(str(path))
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    check(f"usda {len(validators)} validators", not errors, [error.GetMessage() for error in errors] or "")
    check("usda meters", UsdGeom.GetStageMetersPerUnit(stage) == 1.0)
    check("usda y up", UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y)
    check("usda rate", stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == want.fps)
    codes = want.times * want.fps
    same("usda time range", [stage.GetStartTimeCode(), stage.GetEndTimeCode()], codes[[0, -1]], 1e-12)
    prim = stage.GetDefaultPrim().GetChild("Geometry")
    geometry = UsdGeom.PointBased(prim)
    attribute = geometry.GetPointsAttr()
    samples = attribute.GetTimeSamples()
    same("usda time samples", samples, codes, 1e-12)
    points = np.array([attribute.Get(code) for code in samples])
    wanted = want.positions
    if want.drawn() == "lines":
        wanted = wanted[:, want.edges.ravel()]
    same("usda points", points, wanted, SINGLE)
    for code in samples:
        low, high = np.array(geometry.GetExtentAttr().Get(code))
        computed = np.array(UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), code))
        if not np.allclose([low, high], computed, atol=1e-6):
            check("usda extent", False, f"{low} {high} instead of {computed} at {code}")
            break
    else:
        check("usda extents (computed by USD)", True)
    if want.drawn() == "triangles":
        mesh = UsdGeom.Mesh(prim)
        faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
        check("usda faces", face_set(faces) == want.surface())
        check("usda double sided", mesh.GetDoubleSidedAttr().Get())
        normals = np.array([mesh.GetNormalsAttr().Get(code) for code in samples])
        same("usda unit normals", np.linalg.norm(normals, axis=2), np.ones(wanted.shape[:2]), 1e-6)
        if want.uvs is not None:
            st = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st").Get()
            same("usda texture coordinates", np.array(st), want.uvs, SINGLE)


def read_glb(path, want):
    gltf = pygltflib.GLTF2().load(path)
    blob = gltf.binary_blob()
    widths = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}

    def array(index):
        accessor = gltf.accessors[index]
        start = gltf.bufferViews[accessor.bufferView].byteOffset + accessor.byteOffset
        kind = {5125: "<u4", 5126: "<f4"}[accessor.componentType]
        width = widths[accessor.type]
        return np.frombuffer(blob, kind, accessor.count * width, start).reshape(-1, width)

    primitive = gltf.meshes[0].primitives[0]
    animation = gltf.animations[0]
    sampler = animation.samplers[0]
    times = array(sampler.input).ravel()
    frames = min(len(want.times), MAX_GLB_FRAMES)
    chosen = np.arange(frames) * (len(want.times) - 1) // (frames - 1)
    same("glb times (pygltflib)", times, want.times[chosen], SINGLE)
    check("glb rate", animation.extras == {"fps": want.fps})
    weights = array(sampler.output).reshape(frames, frames - 1)
    targets = np.array([array(target["POSITION"]) for target in primitive.targets], float)
    moved = array(primitive.attributes.POSITION) + np.einsum("ft,tnk->fnk", weights, targets)
    same("glb positions", moved, want.positions[chosen], SINGLE)
    check("glb mode", primitive.mode == {"points": 0, "lines": 1, "triangles": 4}[want.drawn()])
    check("glb double sided", gltf.materials[0].doubleSided)
    if want.drawn() == "triangles":
        check("glb faces", face_set(array(primitive.indices).reshape(-1, 3)) == want.surface())
        deltas = np.array([array(target["NORMAL"]) for target in primitive.targets], float)
        normals = array(primitive.attributes.NORMAL) + np.einsum("ft,tnk->fnk", weights, deltas)
        same("glb unit normals", np.linalg.norm(normals, axis=2), np.ones(normals.shape[:2]), 1e-6)
        mesh = trimesh.load(path, process=False, force="mesh")
        same("glb first frame (trimesh)", mesh.vertices, want.positions[0], SINGLE)
        if want.uvs is not None:
            same("glb texture coordinates (trimesh)", mesh.visual.uv, want.uvs, SINGLE)


def main():
    folder = Path(sys.argv[1])
    expected = Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "expected.json"
    for data in json.loads(expected.read_text()):
        want = Expected(data)
        print(f"-- {want.name}")
        read_npz(folder / f"{want.name}.npz", want)
        read_glb(folder / f"{want.name}.glb", want)
        read_usda(folder / f"{want.name}.usda", want)
        read_pc2(folder / f"{want.name}.pc2", want)
        read_pvd(folder / f"{want.name}.pvd", want)
        read_folder("obj", folder / f"{want.name}_obj", want)
        read_folder("ply", folder / f"{want.name}_ply", want)
    print(f"{failures} checks failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
