// Which particle is under the mouse: a corner of the triangle that is hit, or the nearest one on
// the screen.

import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Vector } from "../protocol";
import type { Viewport } from "./viewport";

export interface Picked {
  run: number;
  particle: number;
  /** Where it is (m). */
  at: Vector3;
}

const NEAR_PIXELS = 16;

export class Picker {
  private readonly ray = new Raycaster();

  constructor(private readonly viewport: Viewport) {}

  /** The particle at a point of the canvas in CSS pixels. */
  pick(x: number, y: number): Picked | null {
    const found = this.viewport.cellAt(x, y);
    if (!found) return null;
    this.aim(x, y);
    let best: (Picked & { depth: number }) | null = null;
    for (const run of found.runs) {
      const picked = this.hitSurface(run) ?? this.nearestOnScreen(run, x, y);
      if (picked && (!best || picked.depth < best.depth)) best = picked;
    }
    return best;
  }

  /** The point under the mouse on the plane through `through` that faces the camera. */
  onPlane(x: number, y: number, through: Vector3): Vector | null {
    if (!this.aim(x, y)) return null;
    const normal = this.viewport.eye.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, through);
    const point = this.ray.ray.intersectPlane(plane, new Vector3());
    return point ? [point.x, point.y, point.z] : null;
  }

  private aim(x: number, y: number): boolean {
    const found = this.viewport.cellAt(x, y) ?? { cell: this.viewport.cells[0] };
    const { cell } = found;
    if (!cell) return false;
    const { camera } = this.viewport.eye;
    this.viewport.eye.lookInto(cell);
    camera.updateMatrixWorld();
    const across = (2 * (x - cell.x)) / cell.width - 1;
    const up = 1 - (2 * (y - cell.y)) / cell.height;
    this.ray.setFromCamera(new Vector2(across, up), camera);
    return true;
  }

  private hitSurface(run: number): (Picked & { depth: number }) | null {
    const body = this.viewport.bodies[run];
    if (!body?.surface.visible || body.positions.length === 0) return null;
    const hit = this.ray.intersectObject(body.surface, false)[0];
    if (!hit?.face) return null;
    let best: (Picked & { depth: number }) | null = null;
    let shortest = Infinity;
    for (const vertex of [hit.face.a, hit.face.b, hit.face.c]) {
      const particle = body.particleOf(vertex);
      const at = new Vector3().fromArray(body.positions, 3 * particle);
      const distance = at.distanceTo(hit.point);
      if (distance >= shortest) continue;
      shortest = distance;
      best = { run, particle, at, depth: hit.distance };
    }
    return best;
  }

  private nearestOnScreen(run: number, x: number, y: number): (Picked & { depth: number }) | null {
    const body = this.viewport.bodies[run];
    const found = this.viewport.cellAt(x, y);
    if (!body || !found) return null;
    const { cell } = found;
    const { camera } = this.viewport.eye;
    const point = new Vector3();
    let best: (Picked & { depth: number }) | null = null;
    let shortest = NEAR_PIXELS;
    for (let particle = 0; 3 * particle < body.positions.length; particle += 1) {
      point.fromArray(body.positions, 3 * particle).project(camera);
      if (point.z > 1) continue;
      const px = cell.x + ((point.x + 1) / 2) * cell.width;
      const py = cell.y + ((1 - point.y) / 2) * cell.height;
      const distance = Math.hypot(px - x, py - y);
      if (distance >= shortest) continue;
      shortest = distance;
      const at = new Vector3().fromArray(body.positions, 3 * particle);
      best = { run, particle, at, depth: camera.position.distanceTo(at) };
    }
    return best;
  }
}
