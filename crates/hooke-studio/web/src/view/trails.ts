// The paths of loose particles, fading into the past, as in the pictures of
// `hooke render`: a few balls in empty space say little by themselves.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";

/** More particles than these have no trails. */
export const MOST_TRAILS = 200;

/** Moments that a trail reaches back. */
const MOMENTS = 150;

/** Longer displacements between two moments (as a part of the scene's size) are jumps, not motion. */
const JUMP = 0.5;

export class Trails {
  readonly mesh = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  );
  private moments: Float32Array[] = [];
  private time = -Infinity;
  private readonly positions: BufferAttribute;
  private readonly colors: BufferAttribute;

  constructor(
    private readonly particles: number,
    private readonly size: number,
  ) {
    const vertices = 2 * MOMENTS * particles;
    this.positions = new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
    this.colors = new BufferAttribute(new Float32Array(4 * vertices), 4).setUsage(DynamicDrawUsage);
    this.mesh.geometry.setAttribute("position", this.positions);
    this.mesh.geometry.setAttribute("color", this.colors);
    this.mesh.frustumCulled = false;
  }

  update(positions: Float32Array, time: number, colorOf: (particle: number) => string): void {
    if (time === this.time) return;
    if (time < this.time) this.moments = [];
    this.time = time;
    this.moments.push(positions);
    if (this.moments.length > MOMENTS + 1) this.moments.shift();
    this.draw(colorOf);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  private draw(colorOf: (particle: number) => string): void {
    const positions = this.positions.array as Float32Array;
    const colors = this.colors.array as Float32Array;
    const color = new Color();
    let vertex = 0;
    const put = (moment: number, particle: number) => {
      positions.set(this.moments[moment].subarray(3 * particle, 3 * particle + 3), 3 * vertex);
      color.toArray(colors, 4 * vertex);
      colors[4 * vertex + 3] = 0.9 * Math.sqrt(moment / this.moments.length);
      vertex += 1;
    };
    for (let particle = 0; particle < this.particles; particle += 1) {
      color.set(colorOf(particle));
      for (let moment = 1; moment < this.moments.length; moment += 1) {
        if (this.jumped(moment, particle)) continue;
        put(moment - 1, particle);
        put(moment, particle);
      }
    }
    this.mesh.geometry.setDrawRange(0, vertex);
    this.positions.needsUpdate = this.colors.needsUpdate = true;
  }

  private jumped(moment: number, particle: number): boolean {
    const [from, to] = [this.moments[moment - 1], this.moments[moment]];
    const displacement = [0, 1, 2].map((axis) => to[3 * particle + axis] - from[3 * particle + axis]);
    return Math.hypot(...displacement) > JUMP * this.size;
  }
}
