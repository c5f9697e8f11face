// Obstacles as they are drawn: balls, and half-spaces as sheets of glass. A half-space that faces
// up is the floor, which the ground draws.

import { DoubleSide, Group, Mesh, MeshStandardMaterial, PlaneGeometry, SphereGeometry, Vector3 } from "three";
import type { Obstacle } from "../protocol";
import { OBSTACLE } from "./colours";

export class Obstacles {
  readonly group = new Group();

  show(obstacles: Obstacle[], size: number, middle: Vector3): void {
    this.clear();
    for (const obstacle of obstacles) {
      if (obstacle.shape === "sphere") this.addSphere(obstacle);
      else if (!isFloor(obstacle)) this.addWall(obstacle, size, middle);
    }
  }

  clear(): void {
    for (const part of [...this.group.children] as Mesh[]) {
      part.geometry.dispose();
      (part.material as MeshStandardMaterial).dispose();
      part.removeFromParent();
    }
  }

  private addSphere({ centre, radius }: { centre: number[]; radius: number }): void {
    const material = new MeshStandardMaterial({ color: OBSTACLE, roughness: 0.5 });
    // A hair smaller, so that cloth that lies on it is not pierced by it.
    const ball = new Mesh(new SphereGeometry(0.985 * radius, 48, 32), material);
    ball.position.set(centre[0], centre[1], centre[2]);
    ball.castShadow = true;
    ball.receiveShadow = true;
    this.group.add(ball);
  }

  private addWall(
    { point, normal }: { point: number[]; normal: number[] },
    size: number,
    middle: Vector3,
  ): void {
    const material = new MeshStandardMaterial({
      color: OBSTACLE,
      transparent: true,
      opacity: 0.14,
      side: DoubleSide,
      depthWrite: false,
    });
    const wall = new Mesh(new PlaneGeometry(2 * size, 2 * size), material);
    const direction = new Vector3(...(normal as [number, number, number])).normalize();
    const place = new Vector3(...(point as [number, number, number]));
    // The part of the plane that is nearest to the scene.
    const distance = middle.clone().sub(place).dot(direction);
    wall.position.copy(middle).addScaledVector(direction, -distance);
    wall.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), direction);
    this.group.add(wall);
  }
}

export function isFloor(obstacle: Obstacle): boolean {
  return obstacle.shape === "halfspace" && obstacle.normal[1] > 0.999;
}

/** The height of the highest floor (m), if there is one. */
export function floorHeight(obstacles: Obstacle[]): number | null {
  const floors = obstacles.filter(isFloor) as { point: number[] }[];
  return floors.length > 0 ? Math.max(...floors.map((floor) => floor.point[1])) : null;
}
