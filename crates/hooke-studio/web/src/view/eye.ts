// Where the picture is seen from: one camera for all runs, turned, moved and zoomed by mouse and keys.

import { type Box3, PerspectiveCamera, Sphere, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Camera } from "../protocol";
import type { Cell } from "./cells";

const FIELD_OF_VIEW = 38;
/** Cells narrower than this (width over height) see more above and below. */
const WIDE = 1;

export class Eye {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  readonly orbit: OrbitControls;

  constructor(canvas: HTMLCanvasElement, changed: () => void) {
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = false;
    this.orbit.addEventListener("change", changed);
  }

  /** Looks from where a scene says. */
  take({ eye, target, up }: Camera): void {
    this.camera.up.set(...up);
    this.camera.position.set(...eye);
    this.orbit.target.set(...target);
  }

  /** Sees everything of a scene of this size (m), and lets nobody get lost in it. */
  fit(size: number): void {
    this.camera.near = 0.01 * size;
    this.camera.far = 60 * size;
    this.orbit.minDistance = 0.1 * size;
    this.orbit.maxDistance = 20 * size;
    this.orbit.update();
  }

  /** Fits to a cell: a narrow one sees as much from side to side as a wide one. */
  lookInto(cell: Cell): void {
    this.camera.aspect = cell.width / cell.height;
    const half = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * Math.max(1, WIDE / this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(half);
    this.camera.updateProjectionMatrix();
  }

  /** Moves so that all of a box is seen in a cell, without turning. */
  show(box: Box3, cell: Cell): void {
    const sphere = box.getBoundingSphere(new Sphere());
    const radius = Math.max(sphere.radius, 1e-3);
    this.lookInto(cell);
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, this.camera.aspect);
    const direction = this.camera.position.clone().sub(this.orbit.target).normalize();
    this.orbit.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(direction, (1.15 * radius) / Math.sin(Math.atan(half)));
    this.orbit.update();
  }

  /** Turns by angles, for the arrow keys. */
  rotate(across: number, up: number): void {
    const offset = this.offset();
    offset.applyAxisAngle(this.camera.up, -across);
    const side = new Vector3().crossVectors(this.camera.up, offset).normalize();
    const next = offset.clone().applyAxisAngle(side, -up);
    if (next.angleTo(this.camera.up) > 0.05 && next.angleTo(this.camera.up) < 3.09) offset.copy(next);
    this.standAt(offset);
  }

  zoom(factor: number): void {
    this.standAt(this.offset().multiplyScalar(factor));
  }

  private offset(): Vector3 {
    return this.camera.position.clone().sub(this.orbit.target);
  }

  private standAt(offset: Vector3): void {
    this.camera.position.copy(this.orbit.target).add(offset);
    this.orbit.update();
  }
}

export function distance({ eye, target }: Camera): number {
  return new Vector3(...eye).distanceTo(new Vector3(...target));
}
