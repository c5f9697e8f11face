// Balls that are no particles: where a run broke, the attractor of the mouse, and the places of the
// scene that pull.

import { Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import type { Vector } from "../protocol";
import { OBSTACLE } from "./colors";

export class Marks {
  readonly group = new Group();
  private readonly broken = ball("#ff3b30");
  private readonly attractor = ball(OBSTACLE);
  private readonly places = new Group();

  constructor() {
    this.group.add(this.broken, this.attractor, this.places);
  }

  /** Fits all of them to a scene of this size (m). */
  fit(size: number): void {
    this.broken.scale.setScalar(0.03 * size);
    this.attractor.scale.setScalar(0.025 * size);
    for (const place of this.places.children) place.scale.setScalar(0.02 * size);
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

  showPlaces(places: Vector[], size: number): void {
    while (this.places.children.length > places.length) this.places.children.pop();
    while (this.places.children.length < places.length) this.places.add(ball(OBSTACLE));
    for (const [index, at] of places.entries()) {
      this.places.children[index].visible = true;
      this.places.children[index].position.set(...at);
    }
    this.fit(size);
  }
}

function ball(color: string): Mesh {
  const mesh = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: color }));
  mesh.visible = false;
  return mesh;
}
