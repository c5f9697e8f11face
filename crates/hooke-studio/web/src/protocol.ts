// What the page and the server say to each other. Nothing else in the page knows the wire.

export type Vector = [number, number, number];
export type Value = number | boolean | string;
export type Settings = Record<string, Value>;

/** One setting of a method, as its registry tells it. */
export interface Setting {
  name: string;
  kind: "number" | "integer" | "flag" | "choice";
  unit: string;
  doc: string;
  min?: number;
  max?: number;
  default: Value;
  choices?: string[];
}

export interface Method {
  name: string;
  doc: string;
  order: number;
  cost: string;
  stable: string;
  reference: string;
  settings: Setting[];
}

export interface SceneEntry {
  name: string;
  title: string;
  doc: string;
  method: string | null;
  h: number;
  group: string;
}

/** Something of the world that can be changed while it runs, and what it is now. */
export interface WorldControl {
  what: string;
  label: string;
  kind: "number" | "integer" | "vector";
  unit: string;
  doc: string;
  min: number;
  max: number;
  value: Amount;
  log?: boolean;
  /** Whether the engine can choose it: the word "auto". */
  auto?: boolean;
}

export type Amount = number | Vector | "auto";

export interface Catalog {
  scenes: SceneEntry[];
  methods: Method[];
  materials: unknown[];
  /** The files for other programs that can be exported. */
  formats: { name: string; title: string; doc: string }[];
  version: string;
  /** The JSON Schema of scenes. */
  schema?: object;
  /** What the command line asked for. */
  session?: { scene: { name: string; title?: string; file?: boolean } | null };
}

export interface MethodChoice {
  name: string;
  settings: Settings;
}

/** Where an obstacle is, and its rotation: a matrix, row by row. */
export interface ObstacleFrame {
  position: Vector;
  rotation: number[];
}

export type Obstacle = ObstacleFrame &
  (
    | { shape: "halfspace" }
    | { shape: "room"; half: Vector }
    | { shape: "solid"; vertices: number[]; triangles: number[]; mesh: boolean }
  );

export interface Camera {
  eye: Vector;
  target: Vector;
  up: Vector;
}

export interface RunInfo {
  /** The method for particles; null for a scene of rigid bodies alone. */
  method: string | null;
  settings: Settings;
  particles: number;
}

export interface Opened {
  is: "opened";
  runs: RunInfo[];
  triangles: number[];
  springs: number[];
  pins: number[];
  obstacles: Obstacle[];
  attractors?: Vector[];
  camera: Camera;
  h: number;
  duration: number;
  title: string;
  text: string;
  /** The body of every particle. */
  bodies?: number[];
  /** The bones of chains: pairs of particles. */
  bones?: number[];
  pens?: Pen[];
  /** What the scene wants drawn. */
  style?: "surface" | "springs" | "strain";
  ground?: boolean;
  controls: WorldControl[];
}

/** The end of a chain that draws, and from when to when it does (s). */
export interface Pen {
  particle: number;
  down: [number, number][];
}

/** The scene goes on, but says something else now. */
export interface Changed {
  is: "changed";
  runs: RunInfo[];
  controls: WorldControl[];
  text: string;
  h: number;
}

export interface Report {
  is: "report";
  run: number;
  step: number;
  time: number;
  energy: { kinetic: number; elastic: number; gravitational: number; field: number; total: number };
  work: Record<string, number>;
  /** Energy (J) that no work explains, since the start. */
  numerical: number;
  /** Whether it tells of a step: false where one went back on the timeline. */
  taken?: boolean;
  residual?: number | null;
  scale?: number | null;
  residuals: number[];
  iterations?: number | null;
  end?: string | null;
  strain?: number | null;
  seconds: Record<string, number>;
  /** Relative, of one step against the same step converged. */
  error?: number | null;
  limit: Limit;
  /** Where the run gains energy by no work: since which step, and what to do. */
  gain?: { step: number; message: string };
  /** Where they are now, if any moves. */
  obstacles?: ObstacleFrame[];
  attractors?: Vector[];
}

/** How long a step may be (s): no limit, none on linear models, below a length, or unstable at any. */
export type Limit = null | { linear: true } | { below: number } | { never: true };

export interface Fix {
  label: string;
  do: object | object[];
}

export interface Exploded {
  is: "exploded";
  run: number;
  step: number;
  time: number;
  particle: number | null;
  quantity: string;
  message: string;
  limit: Limit;
  h: number;
  fixes: Fix[];
}

export interface Problem {
  is: "problem";
  message: string;
  line?: number;
  field?: string;
  /** The export that failed. */
  job?: number;
}

export interface ExportProgress {
  is: "export";
  job: number;
  done: number;
  total: number;
  /** Where the file is once it is made, and what to call it. */
  url?: string;
  name?: string;
}

/** Everything the server says in JSON. */
export type Message =
  | Opened
  | Report
  | Exploded
  | Problem
  | ExportProgress
  | { is: "timeline"; frames: number; frame: number }
  | { is: "paused" }
  | { is: "playing" }
  | { is: "hello"; version: string }
  | { is: "closing" }
  | { is: "busy"; run: number; what: string | null }
  | { is: "pins"; pins: number[] }
  | Changed;

/** Positions of one run at one moment, with what the server computed for them. */
export interface Frame {
  run: number;
  frame: number;
  time: number;
  positions: Float32Array;
  normals: Float32Array | null;
  strain: Float32Array | null;
}

const HEADER = 16;
const WITH_NORMALS = 1;
const WITH_STRAIN = 2;

/** Reads a binary frame; null when its length does not fit its flags. */
export function readFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < HEADER || buffer.byteLength % 4 !== 0) return null;
  const header = new DataView(buffer, 0, HEADER);
  const flags = header.getUint32(12, true);
  const numbers = (buffer.byteLength - HEADER) / 4;
  const perVertex = 3 + (flags & WITH_NORMALS ? 3 : 0) + (flags & WITH_STRAIN ? 1 : 0);
  if (numbers % perVertex !== 0) return null;
  const vertices = numbers / perVertex;
  let offset = HEADER;
  const take = (count: number) => {
    const part = new Float32Array(buffer, offset, count);
    offset += 4 * count;
    return part;
  };
  return {
    run: header.getUint32(0, true),
    frame: header.getUint32(4, true),
    time: header.getFloat32(8, true),
    positions: take(3 * vertices),
    normals: flags & WITH_NORMALS ? take(3 * vertices) : null,
    strain: flags & WITH_STRAIN ? take(vertices) : null,
  };
}
