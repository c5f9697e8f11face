"""ikpy on the chains of hinges of a file.

`python ikpy_chain.py FILE COUNT` solves the first COUNT targets, each from rest, to the accuracy ikpy
works with. What is printed is one line of JSON.
"""

import json
import sys
import time
import warnings

import numpy as np
from ikpy.chain import Chain
from ikpy.link import OriginLink, URDFLink

warnings.simplefilter("ignore")


def main():
    file, count = sys.argv[1], int(sys.argv[2])
    first, axes, *rest = open(file).read().strip().split("\n")
    lengths = [float(word) for word in first.split(" ")]
    targets = [np.array([float(word) for word in line.split(" ")]) for line in rest[:count]]
    turns = {"z": [0, 0, 1], "y": [0, 1, 0]}
    offsets = [0.0, *lengths]
    links = [OriginLink()]
    for k, axis in enumerate(axes):
        links.append(URDFLink(f"joint {k}", [offsets[k], 0, 0], [0, 0, 0], turns[axis], joint_type="revolute"))
    links.append(URDFLink("end", [offsets[-1], 0, 0], [0, 0, 0], joint_type="fixed"))
    mask = [False, *[True] * len(axes), False]
    chain = Chain(links, active_links_mask=mask)
    rest_pose = np.zeros(len(links))
    chain.inverse_kinematics(targets[0], initial_position=rest_pose)
    errors = []
    start = time.perf_counter()
    for target in targets:
        angles = chain.inverse_kinematics(target, initial_position=rest_pose)
        errors.append(float(np.linalg.norm(chain.forward_kinematics(angles)[:3, 3] - target)))
    seconds = (time.perf_counter() - start) / len(targets)
    length = sum(lengths)
    reached = sum(error <= 1e-3 * length for error in errors)
    error = float(np.median(errors))
    print(json.dumps({"seconds": seconds, "error": error, "reached": reached, "of": len(errors)}))


main()
