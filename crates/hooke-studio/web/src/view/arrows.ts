// Velocities as arrows. Frames carry positions only: a velocity is the way since the last frame
// over the time since then.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";

/** An arrow shows where a particle will be after this time (s). */
const AHEAD = 0.12;
const LONGEST_GAP = 0.2;
/** Vertices of an arrow: its shaft and two strokes of the head. */
const VERTICES = 6;

export class Arrows {
  readonly mesh = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
  private before: Float32Array = new Float32Array(0);
  private velocities = new Float32Array(0);
  private time = 0;
  private head = 0.01;

  start(particles: number, head: number): void {
    this.head = head;
    this.before = new Float32Array(0);
    this.velocities = new Float32Array(3 * particles);
    const places = new BufferAttribute(new Float32Array(3 * VERTICES * particles), 3);
    this.mesh.geometry.setAttribute("position", places.setUsage(DynamicDrawUsage));
  }

  update(positions: Float32Array, time: number, visible: boolean): void {
    const gap = time - this.time;
    const known = this.before.length === positions.length && gap > 0 && gap <= LONGEST_GAP;
    if (known) {
      for (let at = 0; at < positions.length; at += 1) {
        this.velocities[at] = (positions[at] - this.before[at]) / gap;
      }
    } else if (gap !== 0) this.velocities.fill(0);
    this.before = positions;
    this.time = time;
    if (visible) this.draw(positions);
  }

  paint(colour: string): void {
    this.mesh.material.color.set(colour);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  private draw(positions: Float32Array): void {
    const places = this.mesh.geometry.getAttribute("position") as BufferAttribute;
    const out = places.array as Float32Array;
    let at = 0;
    const put = (x: number, y: number, z: number) => {
      out[at] = x;
      out[at + 1] = y;
      out[at + 2] = z;
      at += 3;
    };
    for (let i = 0; i < positions.length; i += 3) {
      const [x, y, z] = [positions[i], positions[i + 1], positions[i + 2]];
      const dx = this.velocities[i] * AHEAD;
      const dy = this.velocities[i + 1] * AHEAD;
      const dz = this.velocities[i + 2] * AHEAD;
      const length = Math.hypot(dx, dy, dz);
      const back = length > 0 ? Math.min(this.head / length, 0.4) : 0;
      // Any direction across the arrow will do for its head.
      const flat = Math.hypot(dx, dz);
      const side = flat > 1e-9 * length ? [-dz / (flat || 1), 0, dx / (flat || 1)] : [1, 0, 0];
      const wide = 0.5 * back * length;
      put(x, y, z);
      put(x + dx, y + dy, z + dz);
      for (const sign of [-1, 1]) {
        put(x + dx, y + dy, z + dz);
        put(
          x + dx * (1 - back) + sign * wide * side[0],
          y + dy * (1 - back),
          z + dz * (1 - back) + sign * wide * side[2],
        );
      }
    }
    places.needsUpdate = true;
  }
}
