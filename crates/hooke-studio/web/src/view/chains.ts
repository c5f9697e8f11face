// Chains: tapered bones, and the ink that their pens have left.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments } from "three";
import type { Pen } from "../protocol";
import { Tubes } from "./tubes";

const BONE = "#d9d2c0";
const INK = "#2b3f8f";
const TAPER = 0.4;
/** How thick bones are, in radii of a spring. */
const THICK = 4;
const MOST_STROKES = 40_000;

export class Chains {
  readonly group = new Group();
  private readonly bones: Tubes | null;
  private readonly ink: LineSegments<BufferGeometry, LineBasicMaterial>;
  private points = new Float32Array(6 * 1024);
  /** When each stroke was drawn (s), ascending. */
  private readonly times: number[] = [];
  private last: { time: number; ends: number[][] } | null = null;

  constructor(
    bones: number[],
    private readonly pens: Pen[],
  ) {
    this.bones = bones.length > 0 ? new Tubes(bones, TAPER) : null;
    this.bones?.paint(BONE);
    this.ink = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: INK }));
    this.ink.frustumCulled = false;
    this.group.add(this.ink, ...(this.bones ? [this.bones.mesh] : []));
  }

  /** Takes a new frame; going back in time takes ink away. */
  update(positions: Float32Array, time: number, radius: number): void {
    this.bones?.update(positions, THICK * radius, null);
    if (this.pens.length === 0) return;
    while (this.times.length > 0 && this.times[this.times.length - 1] > time) this.times.pop();
    const ends = this.pens.map(({ particle }) => [...positions.subarray(3 * particle, 3 * particle + 3)]);
    const { last } = this;
    // At time 0 a chain is at rest, not yet where its pen begins.
    if (last && last.time > 0 && last.time < time) {
      for (const [index, pen] of this.pens.entries()) {
        const drawn = pen.down.some(([from, to]) => last.time >= from && time <= to);
        if (drawn) this.stroke(last.ends[index], ends[index], time);
      }
    }
    this.last = { time, ends };
    this.ink.geometry.setDrawRange(0, 2 * this.times.length);
  }

  dispose(): void {
    this.ink.geometry.dispose();
    this.ink.material.dispose();
    this.bones?.mesh.dispose();
  }

  private stroke(from: number[], to: number[], time: number): void {
    const count = this.times.length;
    if (count >= MOST_STROKES) return;
    if (6 * (count + 1) > this.points.length) {
      const grown = new Float32Array(2 * this.points.length);
      grown.set(this.points);
      this.points = grown;
    }
    this.points.set([...from, ...to], 6 * count);
    this.times.push(time);
    const { geometry } = this.ink;
    const known = geometry.getAttribute("position");
    if (known?.array !== this.points) geometry.setAttribute("position", new BufferAttribute(this.points, 3));
    else known.needsUpdate = true;
  }
}
