// What the mock server knows: a few scenes, methods and fields in the shape of the real ones.

const SCHEMA = {
  properties: {
    format: { type: "integer", description: "The version of this format." },
    title: { type: "string", description: "The name of the scene." },
    time: { $ref: "#/$defs/time", description: "How time passes." },
    method: {
      oneOf: [
        { properties: { name: { enum: ["newton"] }, iterations: { type: "integer", description: "Most iterations." } } },
        { properties: { name: { enum: ["beta"] }, beta: { type: "number", description: "How implicit." } } },
      ],
    },
    deformables: { type: "array", items: { $ref: "#/$defs/body" }, description: "What there is." },
  },
  $defs: {
    time: { properties: { step: { description: "Time of one step. [s]" }, duration: { description: "How long. [s]" } } },
    body: { properties: { mass: { description: "Of all particles. [kg]" }, grid: { $ref: "#/$defs/grid" } } },
    grid: { properties: { columns: { type: "integer" }, rows: { type: "integer" } } },
  },
};

const method = (name, doc, settings = []) => ({
  name,
  doc,
  order: 1,
  cost: "1 factorization per iteration",
  stable: "every h",
  reference: "",
  settings,
});

const scene = (name, title, group) => ({ name, title, doc: `${title}, for tests.`, method: "newton", h: 1 / 60, group });

export const CATALOGUE = {
  version: "0.0.0",
  materials: [],
  formats: [{ name: "glb", title: "glTF, animated", doc: "Blender, three.js, game engines" }],
  schema: SCHEMA,
  scenes: [
    scene("waving-grid", "Waving grid", "cloth"),
    scene("ball", "Ball", "cloth"),
    scene("explosion", "Explosion", "course"),
    scene("course-cloth", "Course cloth", "course"),
  ],
  methods: [
    method("forward-euler", "Position by the old velocity, velocity by the old force."),
    method("symplectic-euler", "Velocity by the old force, position by the new velocity."),
    method("newton", "Backward Euler: the minimizer of g by Newton's method with a line search.", [
      { name: "iterations", kind: "integer", unit: "", doc: "Maximum number of iterations per step.", min: 0, max: 1e6, default: 50 },
      { name: "tolerance", kind: "number", unit: "", doc: "Where a step is converged.", min: 0, max: 1, default: 1e-8 },
      { name: "line_search", kind: "flag", unit: "", doc: "Whether steps are shortened.", default: true },
      { name: "solver", kind: "choice", unit: "", doc: "The linear solver.", choices: ["cholesky", "cg"], default: "cholesky" },
    ]),
    method("quasi-newton", "Fast mass-spring and its accelerators."),
  ],
};

export const TEXT = `format = 1
title = "Waving grid"

[time]
step = "1/60"

[method]
name = "newton"
`;

export const CONTROLS = [
  { what: "h", label: "step h", kind: "number", unit: "s", doc: "Time of one step.", min: 1e-5, max: 0.1, log: true, value: 1 / 60 },
  { what: "substeps", label: "sub-steps", kind: "integer", unit: "", doc: "Parts of a step.", min: 1, max: 64, auto: true, value: 1 },
  { what: "gravity", label: "gravity", kind: "vector", unit: "m/s²", doc: "Acceleration of free fall.", min: -100, max: 100, value: [0, -9.81, 0] },
  { what: "stiffness", label: "stiffness", kind: "number", unit: "×", doc: "All stiffnesses, times this.", min: 0.01, max: 100, log: true, value: 1 },
  { what: "damping", label: "damping", kind: "number", unit: "×", doc: "All dampings, times this.", min: 0.01, max: 100, log: true, value: 1 },
];
