// three.js: CCDIKSolver on the chains of a file, to a distance relative to their length.
//
// `node three_ccd.mjs FILE TOLERANCE`. The solver goes one sweep at a time until the target is reached, as
// its own number of iterations is fixed. What is printed is one line of JSON.

import { readFileSync } from "node:fs";
import { Bone, BufferGeometry, Float32BufferAttribute, Skeleton, SkinnedMesh, Uint16BufferAttribute, Vector3 } from "three";
import { CCDIKSolver } from "three/addons/animation/CCDIKSolver.js";

const SECONDS = 0.5;
const MOST = 1000;

const [file, tolerance] = process.argv.slice(2);
const [first, axes, ...rest] = readFileSync(file, "utf8").trim().split("\n");
if (axes !== "ball") throw new Error("only chains of ball joints");
const lengths = first.split(" ").map(Number);
const targets = rest.map((line) => new Vector3(...line.split(" ").map(Number)));
const goal = Number(tolerance) * lengths.reduce((sum, length) => sum + length, 0);

const bones = [new Bone()];
for (const length of lengths) {
    const bone = new Bone();
    bone.position.x = length;
    bones[bones.length - 1].add(bone);
    bones.push(bone);
}
const target = new Bone();
bones.push(target);
const geometry = new BufferGeometry();
geometry.setAttribute("position", new Float32BufferAttribute([0, 0, 0], 3));
geometry.setAttribute("skinIndex", new Uint16BufferAttribute([0, 0, 0, 0], 4));
geometry.setAttribute("skinWeight", new Float32BufferAttribute([1, 0, 0, 0], 4));
const mesh = new SkinnedMesh(geometry);
mesh.add(bones[0], target);
mesh.bind(new Skeleton(bones));
const end = lengths.length;
const links = lengths.map((_, k) => ({ index: end - 1 - k }));
const solver = new CCDIKSolver(mesh, [{ target: bones.length - 1, effector: end, links, iteration: 1 }]);

const place = new Vector3();
function solve(wanted) {
    for (const bone of bones) bone.quaternion.identity();
    target.position.copy(wanted);
    mesh.updateMatrixWorld(true);
    let sweeps = 0;
    let error = Infinity;
    while (sweeps < MOST) {
        error = place.setFromMatrixPosition(bones[end].matrixWorld).distanceTo(wanted);
        if (error <= goal) break;
        solver.update();
        sweeps += 1;
    }
    return [error, sweeps];
}

for (const wanted of targets) solve(wanted);
const errors = [];
let [solves, sweeps] = [0, 0];
const start = performance.now();
while (performance.now() - start < 1e3 * SECONDS) {
    for (const wanted of targets) {
        const [error, own] = solve(wanted);
        if (solves < targets.length) {
            errors.push(error);
            sweeps += own;
        }
        solves += 1;
    }
}
const seconds = (performance.now() - start) / 1e3 / solves;
errors.sort((a, b) => a - b);
const reached = errors.filter((error) => error <= goal).length;
const of = errors.length;
console.log(JSON.stringify({ seconds, error: errors[of >> 1], reached, of, iterations: sweeps / of }));
