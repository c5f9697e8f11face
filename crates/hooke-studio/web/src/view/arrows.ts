// Velocities as arrows. Frames carry positions only: a velocity is the direction since the last frame
// over the time since then.

import { InstancedMesh, LatheGeometry, Matrix4, MeshStandardMaterial, Quaternion, Vector2, Vector3 } from "three";

/** An arrow shows where a particle will be after this time (s). */
const AHEAD = 0.12;
const LONGEST_GAP = 0.2;
/** More arrows than these would only hide what they stand on: of finer cloth some particles have one. */
const MOST = 1500;
/** How thick an arrow is at most, for its length. */
const STOUT = 0.09;

const UP = new Vector3(0, 1, 0);

export class Arrows {
  readonly mesh = new InstancedMesh(arrow(), new MeshStandardMaterial({ roughness: 0.6 }), MOST);
  private before: Float32Array = new Float32Array(0);
  private velocities = new Float32Array(0);
  private time = 0;
  private thickness = 0.01;

  constructor() {
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  start(particles: number, thickness: number): void {
    this.thickness = thickness;
    this.before = new Float32Array(0);
    this.velocities = new Float32Array(3 * particles);
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
    if (visible) this.arrange();
  }

  paint(color: string): void {
    this.mesh.material.color.set(color);
  }

  /** Puts an arrow on every particle that moves, or on some of them where there are many. */
  arrange(): void {
    const positions = this.before;
    const stride = 3 * Math.ceil(positions.length / 3 / MOST);
    const [from, direction, size] = [new Vector3(), new Vector3(), new Vector3()];
    const [rotation, matrix] = [new Quaternion(), new Matrix4()];
    let count = 0;
    for (let at = 0; at < positions.length; at += stride) {
      const length = AHEAD * direction.fromArray(this.velocities, at).length();
      if (!(length > 0.2 * this.thickness)) continue;
      rotation.setFromUnitVectors(UP, direction.normalize());
      const thick = Math.min(this.thickness, STOUT * length);
      matrix.compose(from.fromArray(positions, at), rotation, size.set(thick, length, thick));
      this.mesh.setMatrixAt(count, matrix);
      count += 1;
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** An arrow of length one that points up, its shaft as wide as two. */
function arrow(): LatheGeometry {
  const outline = [[0, 0], [0.5, 0], [0.5, 0.72], [1.5, 0.72], [0, 1]];
  return new LatheGeometry(outline.map(([x, y]) => new Vector2(x, y)), 6);
}
