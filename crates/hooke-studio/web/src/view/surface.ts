// One run as it is drawn: surface, wires, springs, particles, velocities and pins, all from the
// positions of the last frame.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from "three";
import type { Frame, Opened } from "../protocol";
import { Arrows } from "./arrows";
import { Balls, ballSize, MOST_BALLS } from "./balls";
import { Chains } from "./chains";
import { BACK, type Backdrop, BODIES, bodyColor, LIGHT, PIN, strainColor, strainScale } from "./colors";
import { splitSharpEdges, vertexNormals, type DrawnMesh } from "./smoothing";
import { MOST_TRAILS, Trails } from "./trails";
import { MOST_TUBES, Tubes } from "./tubes";

/** What of a run is drawn. */
export interface Shown {
  surface: boolean;
  wire: boolean;
  springs: boolean;
  strain: boolean;
  particles: boolean;
  velocity: boolean;
  pins: boolean;
  shadow: boolean;
  ground: boolean;
}

/** The largest radius of a particle, by the distance it is first seen from. */
export const BALL = 0.011;

/** The radius of a spring over that of a particle. */
const TUBE = 0.34;

export class Body {
  readonly group = new Group();
  readonly surface: Mesh<BufferGeometry, MeshStandardMaterial>;
  /** The end of the scale of strain (relative stretch). */
  strainScale = 0.01;
  positions: Float32Array = new Float32Array(0);

  private drawn: DrawnMesh | null = null;
  private readonly wire: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly springs: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Springs as shaded tubes, where there are few enough. */
  private readonly tubes: Tubes | null;
  private readonly arrows = new Arrows();
  /** Trails of particles without springs. */
  private trails: Trails | null = null;
  private balls: Balls | null = null;
  private pinBalls: Balls | null = null;
  private pins: number[] = [];
  private readonly chains: Chains;
  /** The radius of a particle (m). */
  ballSize = 0.01;
  private shared = new BufferAttribute(new Float32Array(0), 3);
  private colors = new BufferAttribute(new Float32Array(0), 3);
  private strain: Float32Array | null = null;
  private readonly backColor = { value: new Color(BACK) };
  private readonly hasBack = { value: 1 };

  private readonly triangles: number[];
  /** The body of each particle; empty where there is one body only. */
  private readonly parts: number[];
  /** The color of the whole run; null where each body has its own. */
  private color: string | null = null;
  private backdrop: Pick<Backdrop, "springs" | "arrows"> = LIGHT;
  private overlaid = false;

  constructor(
    {
      triangles,
      springs,
      bodies = [],
      bones = [],
      pens = [],
    }: Pick<Opened, "triangles" | "springs" | "bodies" | "bones" | "pens">,
    private shown: Shown,
    private readonly largestBall: number,
  ) {
    this.triangles = triangles;
    this.parts = bodies.some((body) => body !== bodies[0]) ? bodies : [];
    this.surface = new Mesh(new BufferGeometry(), this.cloth());
    this.surface.castShadow = true;
    this.surface.receiveShadow = true;
    this.wire = new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({ transparent: true, opacity: 0.9 }),
    );
    this.springs = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    this.wire.geometry.setIndex(edgesOf(triangles));
    this.springs.geometry.setIndex(springs);
    this.tubes = springs.length <= 2 * MOST_TUBES ? new Tubes(springs) : null;
    if (this.tubes) this.group.add(this.tubes.mesh);
    this.chains = new Chains(bones, pens);
    this.group.add(this.chains.group);
    this.group.add(this.arrows.mesh);
    for (const part of [this.surface, this.wire, this.springs]) {
      part.frustumCulled = false;
      this.group.add(part);
    }
    this.show(shown);
  }

  /** Takes the positions of a new frame. */
  update(frame: Frame): void {
    if (frame.positions.length !== this.positions.length) this.start(frame.positions);
    this.arrows.update(frame.positions, frame.time, this.shown.velocity);
    this.positions = frame.positions;
    (this.shared.array as Float32Array).set(frame.positions);
    this.shared.needsUpdate = true;
    this.updateSurface(frame);
    this.strain = frame.strain;
    if (this.shown.strain) this.colorByStrain();
    this.placeBalls();
    this.placeTubes();
    this.chains.update(frame.positions, frame.time, TUBE * this.ballSize);
    this.trails?.update(frame.positions, frame.time, (particle) => this.colorOf(particle));
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.surface.visible = shown.surface && this.triangles.length > 0;
    this.surface.castShadow = shown.shadow;
    this.wire.visible = shown.wire;
    this.springs.visible = shown.springs && !this.tubes;
    if (this.tubes) this.tubes.mesh.visible = shown.springs;
    this.arrows.mesh.visible = shown.velocity;
    if (shown.velocity) this.arrows.arrange();
    if (this.balls) this.balls.mesh.visible = shown.particles;
    if (this.pinBalls) this.pinBalls.mesh.visible = shown.pins;
    this.placeBalls();
    this.paint(this.color, this.backdrop, this.overlaid);
  }

  /** Colors the run; an overlaid run is one plain color on both sides, and seen through. */
  paint(color: string | null, backdrop: Pick<Backdrop, "springs" | "arrows">, overlaid: boolean): void {
    this.color = color;
    this.backdrop = backdrop;
    this.overlaid = overlaid;
    const { strain } = this.shown;
    const perVertex = strain || (color === null && this.parts.length > 0);
    this.surface.material.vertexColors = perVertex;
    this.springs.material.vertexColors = strain;
    this.springs.material.needsUpdate = true;
    this.surface.material.color.set(perVertex ? "#ffffff" : (color ?? BODIES[0]));
    this.surface.material.transparent = overlaid;
    this.surface.material.opacity = overlaid ? 0.72 : 1;
    this.surface.material.needsUpdate = true;
    this.hasBack.value = strain || color !== null ? 0 : 1;
    const thin = overlaid && color ? color : backdrop.springs;
    this.springs.material.color.set(strain ? "#ffffff" : thin);
    this.wire.material.color.set(thin);
    this.tubes?.paint(thin);
    this.arrows.paint(overlaid && color ? color : backdrop.arrows);
    this.balls?.paint((particle) => this.colorOf(particle));
    if (this.positions.length === 0) return;
    if (strain) this.colorByStrain();
    else if (perVertex) this.colorByBody();
    this.placeTubes();
  }

  private placeTubes(): void {
    const colors = this.shown.strain ? (this.colors.array as Float32Array) : null;
    this.tubes?.update(this.positions, TUBE * this.ballSize, colors);
  }

  /** The particle that a vertex of the drawn surface follows. */
  particleOf(vertex: number): number {
    return this.drawn?.source[vertex] ?? vertex;
  }

  setPins(pins: Iterable<number>): void {
    this.pins = [...pins];
    this.pinBalls?.dispose();
    this.pinBalls = new Balls(this.pins, 1.5 * this.ballSize, PIN);
    this.pinBalls.mesh.visible = this.shown.pins;
    this.group.add(this.pinBalls.mesh);
    this.placeBalls();
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const part of [this.surface, this.wire, this.springs]) {
      part.geometry.dispose();
      part.material.dispose();
    }
    this.balls?.dispose();
    this.pinBalls?.dispose();
    this.tubes?.mesh.dispose();
    this.chains.dispose();
    this.arrows.dispose();
    this.trails?.dispose();
  }

  /** The first frame says how many particles there are and which edges are sharp. */
  private start(positions: Float32Array): void {
    const particles = positions.length / 3;
    this.shared = dynamic(particles);
    this.drawn = splitSharpEdges(this.triangles, positions);
    const geometry = this.surface.geometry;
    geometry.setIndex(new BufferAttribute(this.drawn.triangles, 1));
    const vertices = this.drawn.source.length;
    geometry.setAttribute("position", this.drawn.plain ? this.shared : dynamic(vertices));
    geometry.setAttribute("normal", dynamic(vertices));
    this.colors = dynamic(particles);
    geometry.setAttribute("color", this.drawn.plain ? this.colors : dynamic(vertices));
    this.wire.geometry.setAttribute("position", this.shared);
    this.springs.geometry.setAttribute("position", this.shared);
    this.springs.geometry.setAttribute("color", this.colors);
    const springs = this.springs.geometry.index?.array ?? [];
    const loose = springs.length === 0 && this.triangles.length === 0;
    this.ballSize = loose ? this.largestBall : Math.min(ballSize(positions, springs), this.largestBall);
    this.arrows.start(particles, 0.22 * this.largestBall);
    if (loose && particles <= MOST_TRAILS) {
      this.trails = new Trails(particles, this.largestBall / BALL);
      this.group.add(this.trails.mesh);
    }
    this.balls?.dispose();
    this.balls = null;
    if (particles <= MOST_BALLS) {
      this.balls = new Balls(Array.from({ length: particles }, (_, index) => index), this.ballSize, "#ffffff");
      this.balls.mesh.visible = this.shown.particles;
      this.group.add(this.balls.mesh);
    }
    this.positions = positions;
    this.paint(this.color, this.backdrop, this.overlaid);
    this.setPins(this.pins);
  }

  private updateSurface(frame: Frame): void {
    if (!this.drawn || this.triangles.length === 0) return;
    const { geometry } = this.surface;
    const positions = geometry.getAttribute("position") as BufferAttribute;
    const normals = geometry.getAttribute("normal") as BufferAttribute;
    if (!this.drawn.plain) gather(frame.positions, this.drawn.source, positions);
    if (this.drawn.plain && frame.normals) (normals.array as Float32Array).set(frame.normals);
    else {
      vertexNormals(
        this.drawn.triangles,
        positions.array as Float32Array,
        normals.array as Float32Array,
      );
    }
    normals.needsUpdate = true;
    geometry.boundingSphere = null;
  }

  private colorByStrain(): void {
    const colors = this.colors.array as Float32Array;
    const strain = this.strain ?? new Float32Array(colors.length / 3);
    this.strainScale = strainScale(strain);
    for (let at = 0; at < strain.length; at += 1) {
      strainColor(strain[at], this.strainScale, colors, 3 * at);
    }
    this.spreadColors();
  }

  private colorByBody(): void {
    const color = new Color();
    for (let particle = 0; particle < this.parts.length; particle += 1) {
      color.set(bodyColor(this.parts[particle])).toArray(this.colors.array, 3 * particle);
    }
    this.spreadColors();
  }

  private spreadColors(): void {
    const colors = this.colors.array as Float32Array;
    this.colors.needsUpdate = true;
    if (this.drawn && !this.drawn.plain) {
      const own = this.surface.geometry.getAttribute("color") as BufferAttribute;
      gather(colors, this.drawn.source, own);
    }
  }

  private colorOf(particle: number): string {
    return this.color ?? bodyColor(this.parts[particle]);
  }

  private placeBalls(): void {
    this.balls?.update(this.positions);
    this.pinBalls?.update(this.positions);
  }

  /** Red outside, the color of bare cloth inside. */
  private cloth(): MeshStandardMaterial {
    // Drawn a hair behind where it is, so that the wires on it are seen.
    const material = new MeshStandardMaterial({
      roughness: 0.72,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 2,
    });
    material.onBeforeCompile = (shader) => {
      shader.uniforms.backColor = this.backColor;
      shader.uniforms.hasBack = this.hasBack;
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          "#include <common>\nuniform vec3 backColor; uniform float hasBack;",
        )
        .replace(
          "#include <color_fragment>",
          `#include <color_fragment>
          if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, backColor, hasBack);`,
        );
    };
    return material;
  }
}

function dynamic(items: number): BufferAttribute {
  return new BufferAttribute(new Float32Array(3 * items), 3).setUsage(DynamicDrawUsage);
}

function gather(from: Float32Array, source: Uint32Array, to: BufferAttribute): void {
  const out = to.array as Float32Array;
  for (let vertex = 0; vertex < source.length; vertex += 1) {
    const at = 3 * source[vertex];
    out[3 * vertex] = from[at];
    out[3 * vertex + 1] = from[at + 1];
    out[3 * vertex + 2] = from[at + 2];
  }
  to.needsUpdate = true;
}

/** Every edge of the triangles once, as pairs. */
export function edgesOf(triangles: number[]): number[] {
  const seen = new Set<number>();
  const edges: number[] = [];
  const most = triangles.reduce((a, b) => Math.max(a, b), 0) + 1;
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const next = corner % 3 === 2 ? corner - 2 : corner + 1;
    const [a, b] = [triangles[corner], triangles[next]].sort((x, y) => x - y);
    if (seen.has(a * most + b)) continue;
    seen.add(a * most + b);
    edges.push(a, b);
  }
  return edges;
}
