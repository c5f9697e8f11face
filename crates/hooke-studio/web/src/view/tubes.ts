// Springs as tubes: shaded, with shadows, thick enough to be seen. More than a few thousand are drawn
// as lines instead.

import { Color, CylinderGeometry, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from "three";

export const MOST_TUBES = 3000;

const UP = new Vector3(0, 1, 0);

export class Tubes {
  readonly mesh: InstancedMesh<CylinderGeometry, MeshStandardMaterial>;
  private color = new Color();

  /** `taper` is the radius at the second end of a tube, in radii of the first. */
  constructor(
    private readonly springs: ArrayLike<number>,
    taper = 1,
  ) {
    const count = springs.length / 2;
    const geometry = new CylinderGeometry(taper, 1, 1, count > 500 ? 5 : 8, 1, true);
    const material = new MeshStandardMaterial({ roughness: 0.6 });
    this.mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
    this.mesh.count = count;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  paint(color: string): void {
    this.color.set(color);
  }

  /** Puts every tube between its ends; `colors` has one per particle, for strain. */
  update(positions: Float32Array, radius: number, colors: Float32Array | null): void {
    if (!this.mesh.visible || positions.length === 0) return;
    const [from, direction, middle, scale] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    const [rotation, matrix, color] = [new Quaternion(), new Matrix4(), new Color()];
    for (let tube = 0; tube < this.mesh.count; tube += 1) {
      const [a, b] = [3 * this.springs[2 * tube], 3 * this.springs[2 * tube + 1]];
      from.fromArray(positions, a);
      direction.fromArray(positions, b).sub(from);
      middle.copy(from).addScaledVector(direction, 0.5);
      const length = direction.length();
      if (length > 0) rotation.setFromUnitVectors(UP, direction.divideScalar(length));
      this.mesh.setMatrixAt(tube, matrix.compose(middle, rotation, scale.set(radius, length, radius)));
      if (colors) {
        const mean = (axis: number) => (colors[a + axis] + colors[b + axis]) / 2;
        color.setRGB(mean(0), mean(1), mean(2));
      } else color.copy(this.color);
      this.mesh.setColorAt(tube, color);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
