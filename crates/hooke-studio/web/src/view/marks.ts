// Balls that are no particles: where a run broke, the attractor of the mouse, and the attractors of the scene.

import { Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import type { Vector } from "../protocol";
import { OBSTACLE } from "./colors";

export class Marks {
  readonly group = new Group();
  private readonly broken = ball("#ff3b30");
  private readonly attractor = ball(OBSTACLE);
  private readonly attractors = new Group();

  constructor() {
    this.group.add(this.broken, this.attractor, this.attractors);
  }

  /** Fits all of them to a scene of this size (m). */
  fit(size: number): void {
    this.broken.scale.setScalar(0.03 * size);
    this.attractor.scale.setScalar(0.025 * size);
    for (const attractor of this.attractors.children) attractor.scale.setScalar(0.02 * size);
  }

  /** Marks a particle; null takes the mark away. */
  showBroken(positions: Float32Array | undefined, particle: number | null): void {
    const known = particle !== null && positions !== undefined && 3 * particle < positions.length;
    this.broken.visible = known;
    if (known) this.broken.position.fromArray(positions, 3 * particle);
  }

  showAttractor(at: Vector | null): void {
    this.attractor.visible = at !== null;
    if (at) this.attractor.position.set(...at);
  }

  showAttractors(attractors: Vector[], size: number): void {
    while (this.attractors.children.length > attractors.length) this.attractors.children.pop();
    while (this.attractors.children.length < attractors.length) this.attractors.add(ball(OBSTACLE));
    for (const [index, at] of attractors.entries()) {
      this.attractors.children[index].visible = true;
      this.attractors.children[index].position.set(...at);
    }
    this.fit(size);
  }
}

function ball(color: string): Mesh {
  const mesh = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: color }));
  mesh.visible = false;
  return mesh;
}
