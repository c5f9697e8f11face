"""Judges an exported recording with ipctk, which is not ours: no frame may have an intersection.

    python intersections.py recording.npz [--every 10] [--bodies]

Deformables are judged, and with --bodies the surfaces of rigid bodies too. Prints the frames that intersect, and fails
if there are any.
"""

import argparse

import ipctk
import numpy


def surface(arrays, bodies):
    """Triangles, and the edges of them and of ropes: links of neighbors that no triangle has."""
    triangles, links = arrays["triangles"].astype(numpy.int32), arrays["edges"].astype(numpy.int32)
    if "body_vertices" in arrays and not bodies:
        rigid = numpy.zeros(arrays["positions"].shape[1], dtype=bool)
        for first, last in arrays["body_vertices"]:
            rigid[first:last] = True
        triangles = triangles[~rigid[triangles].any(axis=1)]
        links = links[~rigid[links].any(axis=1)]
    covered = numpy.zeros(arrays["positions"].shape[1], dtype=bool)
    covered[triangles] = True
    along = numpy.abs(links[:, 0] - links[:, 1]) == 1
    ropes = links[along & ~covered[links].any(axis=1)]
    sides = numpy.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = numpy.unique(numpy.sort(numpy.concatenate([sides, ropes]), axis=1), axis=0)
    return edges, triangles


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--bodies", action="store_true")
    options = parser.parse_args()
    arrays = numpy.load(options.recording)
    positions = arrays["positions"]
    edges, triangles = surface(arrays, options.bodies)
    mesh = ipctk.CollisionMesh(numpy.asfortranarray(positions[0]), edges, triangles)
    frames = sorted({*range(0, len(positions), options.every), len(positions) - 1})
    bad = [
        frame
        for frame in frames
        if ipctk.has_intersections(mesh, numpy.asfortranarray(positions[frame]))
    ]
    print(f"{len(frames)} frames of {len(edges)} edges and {len(triangles)} triangles, {len(bad)} intersect")
    if bad:
        raise SystemExit(f"frames that intersect: {bad}")


if __name__ == "__main__":
    main()
