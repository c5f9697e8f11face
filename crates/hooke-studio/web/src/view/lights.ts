// The light: a sky, a sun that casts shadows, and a lamp from the other side, so that what the sun
// does not reach has a shape, too.

import { DirectionalLight, HemisphereLight, type Scene, Vector3 } from "three";
import type { Backdrop } from "./colors";

const UP = new Vector3(0, 1, 0);

export class Lights {
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight("#fff6e8");
  private readonly lamp = new DirectionalLight("#e6ecff");
  private readonly sunDirection = new Vector3(0, 1, 0);
  private readonly lampDirection = new Vector3(0, 1, 0);

  constructor(scene: Scene, software: boolean) {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(software ? 1024 : 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3;
    scene.add(this.sky, this.sun, this.sun.target, this.lamp, this.lamp.target);
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on;
  }

  paint({ sky, earth, fill, sun, lamp }: Backdrop): void {
    this.sky.color.set(sky);
    this.sky.groundColor.set(earth);
    this.sky.intensity = fill;
    this.sun.intensity = sun;
    this.lamp.intensity = lamp;
  }

  /** The sun stands high over the viewer's right shoulder, so that what is looked at is lit. */
  raise(eye: Vector3, target: Vector3): void {
    const direction = eye.clone().sub(target).setY(0);
    if (direction.length() === 0) direction.set(0, 0, 1);
    direction.normalize();
    this.lampDirection.copy(direction).applyAxisAngle(UP, -1.1);
    this.sunDirection.copy(direction).applyAxisAngle(UP, 0.65).setY(1.25).normalize();
  }

  /** Whether the shadows no longer cover what is around a point. */
  misses(middle: Vector3, size: number): boolean {
    return middle.distanceTo(this.sun.target.position) > 0.25 * size;
  }

  /** Lights and shadows what is around a point, of this size (m). */
  aim(middle: Vector3, size: number): void {
    const reach = 2.2 * size;
    for (const [light, direction] of [[this.sun, this.sunDirection], [this.lamp, this.lampDirection]] as const) {
      light.target.position.copy(middle);
      light.position.copy(middle).addScaledVector(direction, 3 * size);
    }
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.01 * size;
    camera.far = 9 * size;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.012 * size;
  }
}
