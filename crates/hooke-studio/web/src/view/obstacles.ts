// Obstacles as they are drawn: solids by their triangles, half-spaces and rooms as sheets of glass. A
// half-space that faces up is the floor, which the ground draws.

import {
  BackSide,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  FrontSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Plane,
  PlaneGeometry,
  Vector3,
} from "three";
import type { Obstacle, ObstacleFrame } from "../protocol";
import { OBSTACLE } from "./colors";
import { splitSharpEdges, vertexNormals } from "./smoothing";

/** A hair smaller than they are, so that cloth that lies on them is not pierced by them; meshes are shown as they are. */
const SUNK = 0.985;

export class Obstacles {
  readonly group = new Group();
  private shown: Obstacle[] = [];
  private frames: ObstacleFrame[] = [];

  show(obstacles: Obstacle[], size: number, middle: Vector3): void {
    const anew = obstacles !== this.shown;
    this.clear();
    this.shown = obstacles;
    if (anew) this.frames = obstacles;
    for (const obstacle of obstacles) this.group.add(part(obstacle, size, middle, obstacles));
    this.update();
  }

  /** Puts all where they are now. */
  move(frames: ObstacleFrame[]): void {
    this.frames = frames;
    this.update();
  }

  clear(): void {
    for (const mesh of [...this.group.children] as Mesh[]) {
      mesh.geometry.dispose();
      (mesh.material as MeshStandardMaterial).dispose();
      mesh.removeFromParent();
    }
  }

  private update(): void {
    for (const [index, mesh] of this.group.children.entries()) {
      const frame = this.frames[index];
      if (!frame || this.shown[index]?.shape === "halfspace") continue;
      const { position, rotation } = frame;
      mesh.matrix.copy(matrixOf(rotation).setPosition(...position));
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}

function part(obstacle: Obstacle, size: number, middle: Vector3, all: Obstacle[]): Mesh {
  const glass = obstacle.shape === "halfspace" || obstacle.shape === "room";
  const material = new MeshStandardMaterial({
    color: OBSTACLE,
    roughness: 0.5,
    transparent: glass,
    opacity: glass ? 0.14 : 1,
    side: sideOf(obstacle),
    depthWrite: !glass,
  });
  const mesh = new Mesh(geometry(obstacle, size), material);
  mesh.matrixAutoUpdate = false;
  mesh.castShadow = mesh.receiveShadow = !glass;
  if (obstacle.shape === "halfspace") {
    mesh.visible = !isFloor(obstacle);
    mesh.matrix.copy(wall(obstacle, middle));
    // Walls end where they meet other walls and the floor.
    material.clippingPlanes = all
      .filter((other) => other !== obstacle && other.shape === "halfspace")
      .map((other) => new Plane().setFromNormalAndCoplanarPoint(up(other), new Vector3(...other.position)));
  }
  return mesh;
}

/** Glass is seen from within only, so that nothing stands between the viewer and what it holds. */
function sideOf({ shape }: Obstacle) {
  if (shape === "room") return BackSide;
  return shape === "halfspace" ? FrontSide : DoubleSide;
}

function geometry(obstacle: Obstacle, size: number): BufferGeometry {
  switch (obstacle.shape) {
    case "halfspace":
      return new PlaneGeometry(2 * size, 2 * size);
    case "room": {
      const [x, y, z] = obstacle.half;
      return new BoxGeometry(2 * x, 2 * y, 2 * z);
    }
    case "solid": {
      const by = obstacle.mesh ? 1 : SUNK;
      const vertices = new Float32Array(obstacle.vertices.map((value) => by * value));
      const { triangles, source } = splitSharpEdges(welded(obstacle.triangles, obstacle.vertices), vertices);
      const positions = new Float32Array(3 * source.length);
      for (const [at, vertex] of source.entries()) positions.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * at);
      const normals = new Float32Array(positions.length);
      vertexNormals(triangles, positions, normals);
      const surface = new BufferGeometry();
      surface.setAttribute("position", new BufferAttribute(positions, 3));
      surface.setAttribute("normal", new BufferAttribute(normals, 3));
      surface.setIndex(new BufferAttribute(triangles, 1));
      return surface;
    }
  }
}

/** Triangles whose corners coincide are one vertex, so that they are shaded as one surface. */
function welded(triangles: number[], vertices: number[]): number[] {
  const first = new Map<string, number>();
  return triangles.map((vertex) => {
    // Rounded, as the same point may be computed in two ways; `+ 0` makes −0 a 0.
    const at = vertices.slice(3 * vertex, 3 * vertex + 3).map((value) => Math.fround(value) + 0);
    const key = at.join();
    const known = first.get(key) ?? vertex;
    first.set(key, known);
    return known;
  });
}

/** A matrix of nine numbers, row by row. */
function matrixOf(rotation: number[]): Matrix4 {
  const [a, b, c, d, e, f, g, h, i] = rotation as [number, number, number, number, number, number, number, number, number];
  return new Matrix4().set(a, b, c, 0, d, e, f, 0, g, h, i, 0, 0, 0, 0, 1);
}

/** The part of a plane that is nearest to the middle of the scene. */
function wall(obstacle: ObstacleFrame, middle: Vector3): Matrix4 {
  const normal = up(obstacle);
  const position = new Vector3(...obstacle.position);
  const distance = middle.clone().sub(position).dot(normal);
  const nearest = middle.clone().addScaledVector(normal, -distance);
  const side = Math.abs(normal.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const across = side.cross(normal).normalize();
  return new Matrix4().makeBasis(across, normal.clone().cross(across), normal).setPosition(nearest);
}

/** The direction out of a half-space: its own y axis. */
function up({ rotation }: ObstacleFrame): Vector3 {
  return new Vector3(rotation[1], rotation[4], rotation[7]).normalize();
}

export function isFloor(obstacle: Obstacle): boolean {
  return obstacle.shape === "halfspace" && up(obstacle).y > 0.999;
}

/** The height of the highest floor (m), if there is one. */
export function floorHeight(obstacles: Obstacle[]): number | null {
  const floors = obstacles.filter(isFloor);
  return floors.length > 0 ? Math.max(...floors.map(({ position }) => position[1])) : null;
}
