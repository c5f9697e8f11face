// Colors of the viewport: bodies and pins as in the pictures of `hooke render`, one color per
// run where methods are compared, and a scale for strain that the color-blind can read.

import { Color } from "three";

/** Bodies of a scene, in turn. */
export const BODIES = ["#d9412f", "#2b7a9e", "#5a8f46", "#7a55a3"];
export const BACK = "#cdb491";
export const PIN = "#e0a526";
export const OBSTACLE = "#7a55a3";

/** One color per run; each has enough contrast on both backgrounds. */
export const RUNS = ["#e0523f", "#2f8fc4", "#3f9d57", "#b668c9"];

export const bodyColor = (body = 0) => BODIES[body % BODIES.length];

export interface Backdrop {
  background: string;
  ground: [string, string];
  sky: string;
  earth: string;
  springs: string;
  arrows: string;
  sun: number;
  fill: number;
  lamp: number;
}

export const LIGHT: Backdrop = {
  background: "#e9ecf0",
  ground: ["#dfe2e6", "#ced2d8"],
  sky: "#ffffff",
  earth: "#b9b2a8",
  springs: "#414a57",
  arrows: "#14396b",
  sun: 2.2,
  fill: 1.6,
  lamp: 0.9,
};

export const DARK: Backdrop = {
  background: "#15181d",
  ground: ["#2b3038", "#21262d"],
  sky: "#aebed6",
  earth: "#4a443d",
  springs: "#9aa7b8",
  arrows: "#9fd6ff",
  sun: 2.2,
  fill: 1.6,
  lamp: 0.8,
};

const COMPRESSED = new Color("#2166ac");
const REST = new Color("#e8e6e1");
const STRETCHED = new Color("#c2410c");

/** The color of a relative stretch, `most` being the end of the scale, into `out[at…]`. */
export function strainColor(strain: number, most: number, out: Float32Array, at: number): void {
  const share = Math.min(Math.abs(strain) / most, 1);
  const end = strain < 0 ? COMPRESSED : STRETCHED;
  out[at] = REST.r + share * (end.r - REST.r);
  out[at + 1] = REST.g + share * (end.g - REST.g);
  out[at + 2] = REST.b + share * (end.b - REST.b);
}

/** So many times the mean is the end of the scale: a few particles beside a pin must not pale all
 * others. */
const FULL = 3;

/** The end of the scale of strain for these values: a round number, so that it rests. */
export function strainScale(strain: Float32Array): number {
  let sum = 0;
  for (const value of strain) sum += Math.abs(value);
  const most = (FULL * sum) / Math.max(strain.length, 1);
  if (!(most > 0) || !Number.isFinite(most)) return 0.01;
  const power = 10 ** Math.floor(Math.log10(most));
  const round = [1, 2, 3, 5, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(round * power, 1e-4);
}
