// Particles and pins as balls.

import { Color, InstancedMesh, Matrix4, MeshStandardMaterial, SphereGeometry } from "three";

/** The longest list of particles drawn as balls; more would only hide the springs. */
export const MOST_BALLS = 20_000;

export class Balls {
  readonly mesh: InstancedMesh<SphereGeometry, MeshStandardMaterial>;

  /** A ball of this radius (m) on each of these particles. */
  constructor(
    private readonly particles: ArrayLike<number>,
    radius: number,
    color: string,
  ) {
    const count = particles.length;
    const detail = count > 2000 ? 6 : 14;
    const geometry = new SphereGeometry(radius, detail, Math.ceil(detail / 2) + 1);
    const material = new MeshStandardMaterial({ color: color, roughness: 0.45 });
    this.mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
    this.mesh.count = count;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  update(positions: Float32Array): void {
    if (!this.mesh.visible) return;
    const matrix = new Matrix4();
    for (let index = 0; index < this.particles.length; index += 1) {
      const at = 3 * this.particles[index];
      matrix.setPosition(positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0);
      this.mesh.setMatrixAt(index, matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  paint(colorOf: (particle: number) => string): void {
    const color = new Color();
    for (let index = 0; index < this.particles.length; index += 1) {
      this.mesh.setColorAt(index, color.set(colorOf(this.particles[index])));
    }
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** The radius of a particle (m): a share of a spring's length, never large beside the scene. */
export function ballSize(positions: Float32Array, springs: ArrayLike<number>): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < positions.length; at += 1) {
    low[at % 3] = Math.min(low[at % 3], positions[at]);
    high[at % 3] = Math.max(high[at % 3], positions[at]);
  }
  const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  let length = 0;
  const pairs = Math.min(springs.length / 2, 200);
  for (let pair = 0; pair < pairs; pair += 1) {
    const a = 3 * springs[2 * pair];
    const b = 3 * springs[2 * pair + 1];
    length += Math.hypot(
      positions[a] - positions[b],
      positions[a + 1] - positions[b + 1],
      positions[a + 2] - positions[b + 2],
    );
  }
  const typical = pairs > 0 ? length / pairs : size;
  return Math.min(0.16 * typical, 0.022 * size);
}
