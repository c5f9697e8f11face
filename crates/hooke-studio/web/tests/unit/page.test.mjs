// What the page computes by itself, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { frame, grid } from "../mock/cloth.mjs";
import { load } from "./load.mjs";

const [protocol, history, smoothing, fields, completion, colors, body, labels] = await load(
  "protocol",
  "history",
  "view/smoothing",
  "panels/fields",
  "panels/completion",
  "view/colors",
  "view/surface",
  "panels/labels",
);

test("a frame is read as it was written, and a cut one is refused", () => {
  const buffer = frame(2, 7, 0.5, { particle: 3, at: [9, 8, 7] });
  const read = protocol.readFrame(buffer);
  assert.equal(read.run, 2);
  assert.equal(read.frame, 7);
  assert.equal(read.time, 0.5);
  assert.deepEqual([...read.positions.slice(9, 12)], [9, 8, 7]);
  assert.equal(read.positions.length, 3 * read.strain.length);
  assert.equal(read.normals, null);
  assert.equal(protocol.readFrame(buffer.slice(0, buffer.byteLength - 4)), null);
  assert.equal(protocol.readFrame(new ArrayBuffer(3)), null);
});

const report = (step, more = {}) => ({
  step,
  time: step / 60,
  energy: { kinetic: 1, elastic: 2, gravitational: 3, field: 0, total: 6 },
  numerical: -0.1 * step,
  residual: 1e-6,
  scale: 1,
  seconds: { total: 0.01, method: 0.008, assembly: 0.001, factorization: 0.002, solution: 0.003 },
  ...more,
});

test("history forgets what came after a moment that was returned to", () => {
  const run = new history.History();
  for (let step = 1; step <= 10; step += 1) run.add(report(step));
  run.add(report(4));
  assert.equal(run.columns.time.length, 4);
  assert.ok(Math.abs(run.columns.method[0] - 2) < 1e-9);
});

test("every phase of a step has a column", () => {
  const run = new history.History();
  const phases = { limit: 0.001, contact: 0.002, rigid_bodies: 0.003, chains: 0.004, measure: 0.005 };
  run.add(report(1, { seconds: { total: 0.02, method: 0.005, ...phases } }));
  const { limit, contact, rigidBodies, chains, measure } = run.columns;
  assert.deepEqual([limit, contact, rigidBodies, chains, measure], [[1], [2], [3], [4], [5]]);
});

test("history stays bounded and keeps its start", () => {
  const run = new history.History();
  for (let step = 1; step <= 20_000; step += 1) run.add(report(step));
  assert.ok(run.columns.time.length <= 1500);
  assert.equal(run.columns.time[0], 1 / 60);
  assert.ok(run.columns.time.at(-1) > 300);
});

test("a cube keeps its edges, a cloth is one sheet", () => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const triangles = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  const cube = smoothing.splitSharpEdges(triangles, new Float32Array(corners.flat()));
  assert.equal(cube.source.length, 24);
  assert.equal(cube.plain, false);
  const normals = new Float32Array(72);
  const positions = new Float32Array([...cube.source].flatMap((particle) => corners[particle]));
  smoothing.vertexNormals(cube.triangles, positions, normals);
  for (let at = 0; at < 72; at += 3) {
    const axes = [0, 1, 2].filter((axis) => Math.abs(normals[at + axis]) > 0.99);
    assert.equal(axes.length, 1);
  }
  const cloth = protocol.readFrame(frame(0, 0, 0.3, null));
  assert.ok(smoothing.splitSharpEdges(grid().triangles, cloth.positions).plain);
});

test("edges of triangles are found once each", () => {
  assert.deepEqual(body.edgesOf([0, 1, 2, 2, 1, 3]), [0, 1, 1, 2, 0, 2, 1, 3, 2, 3]);
});

test("sliders go there and back, and reach their ends", () => {
  const ranges = [
    { min: 0, max: 10, whole: false, logarithmic: false },
    { min: 1e-5, max: 0.1, whole: false, logarithmic: true },
    { min: 0, max: 1, whole: false, logarithmic: true },
  ];
  for (const range of ranges) {
    assert.equal(fields.fromSlider(0, range), range.min);
    assert.equal(fields.fromSlider(1, range), range.max);
    for (const share of [0.2, 0.5, 0.9]) {
      const value = fields.fromSlider(share, range);
      assert.ok(Math.abs(fields.toSlider(value, range) - share) < 0.01, `${JSON.stringify(range)} ${share}`);
    }
  }
});

test("numbers are read as people write them", () => {
  assert.equal(fields.readNumber("1/60"), 1 / 60);
  assert.equal(fields.readNumber(" 1e-3 "), 0.001);
  for (const words of ["", "x", "1/", "1/2/3"]) assert.ok(Number.isNaN(fields.readNumber(words)), words);
  assert.equal(fields.written(1 / 60), "1/60");
  assert.equal(fields.written(0.25), "0.25");
  assert.equal(fields.written(-9.81), "-9.81");
});

test("the scale of strain is round and never below what is there", () => {
  for (const most of [0.0003, 0.04, 0.9, 12]) {
    const end = colors.strainScale(new Float32Array([0, -most]));
    assert.ok(end >= most * 0.999 && end <= 5 * most, `${most} ${end}`);
  }
  assert.ok(colors.strainScale(new Float32Array(3)) > 0);
});

test("an unsolved step is called so", () => {
  const judged = (residual) => labels.judge(report(1, { residual, iterations: 3, end: "x" })).mood;
  assert.equal(judged(1e-9), "good");
  assert.equal(judged(0.2), "poor");
  assert.equal(labels.judge(report(1, { residual: null })).mood, "plain");
});

test("completion knows where the cursor is", async () => {
  const { CATALOGUE } = await import("../mock/catalog.mjs");
  const at = (text) => {
    const cursor = completion.contextAt(text);
    return cursor ? completion.suggestions(CATALOGUE.schema, cursor).map(({ label }) => label) : null;
  };
  assert.deepEqual(at("format = 1\nti"), ["format", "title", "time", "method", "deformables"]);
  assert.deepEqual(at("[time]\nst"), ["step", "duration"]);
  assert.deepEqual(at("["), ["[time]", "[method]", "[[deformables]]"]);
  assert.deepEqual(at('[method]\nname = "'), ["newton", "beta"]);
  assert.deepEqual(at("[method]\nname = "), ['"newton"', '"beta"']);
  assert.deepEqual(at("[[deformables]]\ngrid = { col"), ["columns", "rows"]);
  assert.deepEqual(at("[[deformables]]\ngrid = { columns = 3 }\nma"), ["mass", "grid"]);
  assert.equal(at("# a comment"), null);
});
