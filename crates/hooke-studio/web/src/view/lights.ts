// The light: a sky, a sun that casts shadows, and a lamp from the other side, so that what the sun
// does not reach has a shape, too.

import { DirectionalLight, HemisphereLight, type Scene, Vector3 } from "three";
import type { Backdrop } from "./colors";

const UP = new Vector3(0, 1, 0);

export class Lights {
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight("#fff6e8");
  private readonly lamp = new DirectionalLight("#e6ecff");
  private readonly sunWay = new Vector3(0, 1, 0);
  private readonly lampWay = new Vector3(0, 1, 0);

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
    const way = eye.clone().sub(target).setY(0);
    if (way.length() === 0) way.set(0, 0, 1);
    way.normalize();
    this.lampWay.copy(way).applyAxisAngle(UP, -1.1);
    this.sunWay.copy(way).applyAxisAngle(UP, 0.65).setY(1.25).normalize();
  }

  /** Whether the shadows no longer cover what is around a place. */
  misses(middle: Vector3, size: number): boolean {
    return middle.distanceTo(this.sun.target.position) > 0.25 * size;
  }

  /** Lights and shadows what is around a place, of this size (m). */
  aim(middle: Vector3, size: number): void {
    const reach = 2.2 * size;
    for (const [light, way] of [[this.sun, this.sunWay], [this.lamp, this.lampWay]] as const) {
      light.target.position.copy(middle);
      light.position.copy(middle).addScaledVector(way, 3 * size);
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
