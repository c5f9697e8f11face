// One run as it is drawn: surface, wires, springs, particles, velocities and pins, all from the
// positions of the last frame.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  SphereGeometry,
} from "three";
import type { Frame, Opened } from "../protocol";
import { Arrows } from "./arrows";
import { BACK, type Backdrop, BODIES, bodyColour, LIGHT, PIN, strainColour, strainScale } from "./colours";
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

/** The longest list of particles drawn as balls; more would only hide the springs. */
const MOST_BALLS = 20_000;

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
  /** The ways of particles that nothing holds together. */
  private trails: Trails | null = null;
  private balls: InstancedMesh | null = null;
  private pinBalls: InstancedMesh | null = null;
  private pins: number[] = [];
  /** The radius of a particle (m). */
  ballSize = 0.01;
  private shared = new BufferAttribute(new Float32Array(0), 3);
  private colours = new BufferAttribute(new Float32Array(0), 3);
  private strain: Float32Array | null = null;
  private readonly backColour = { value: new Color(BACK) };
  private readonly hasBack = { value: 1 };

  private readonly triangles: number[];
  /** The body of each particle; empty where there is one body only. */
  private readonly parts: number[];
  /** The colour of the whole run; null where each body has its own. */
  private colour: string | null = null;
  private backdrop: Pick<Backdrop, "springs" | "arrows"> = LIGHT;
  private overlaid = false;

  constructor(
    { triangles, springs, bodies = [] }: Pick<Opened, "triangles" | "springs" | "bodies">,
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
      new LineBasicMaterial({ transparent: true, opacity: 0.7 }),
    );
    this.springs = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    this.wire.geometry.setIndex(edgesOf(triangles));
    this.springs.geometry.setIndex(springs);
    this.tubes = springs.length <= 2 * MOST_TUBES ? new Tubes(springs) : null;
    if (this.tubes) this.group.add(this.tubes.mesh);
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
    if (this.shown.strain) this.colourByStrain();
    this.placeBalls();
    this.placeTubes();
    this.trails?.update(frame.positions, frame.time, (particle) => this.colour ?? bodyColour(this.parts[particle]));
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.surface.visible = shown.surface && this.triangles.length > 0;
    this.surface.castShadow = shown.shadow;
    this.wire.visible = shown.wire;
    this.springs.visible = shown.springs && !this.tubes;
    if (this.tubes) this.tubes.mesh.visible = shown.springs;
    this.arrows.mesh.visible = shown.velocity;
    if (shown.velocity) this.arrows.place();
    if (this.balls) this.balls.visible = shown.particles;
    if (this.pinBalls) this.pinBalls.visible = shown.pins;
    this.paint(this.colour, this.backdrop, this.overlaid);
  }

  /** Colours the run; an overlaid run is one plain colour on both sides, and seen through. */
  paint(colour: string | null, backdrop: Pick<Backdrop, "springs" | "arrows">, overlaid: boolean): void {
    this.colour = colour;
    this.backdrop = backdrop;
    this.overlaid = overlaid;
    const { strain } = this.shown;
    const perVertex = strain || (colour === null && this.parts.length > 0);
    this.surface.material.vertexColors = perVertex;
    this.springs.material.vertexColors = strain;
    this.springs.material.needsUpdate = true;
    this.surface.material.color.set(perVertex ? "#ffffff" : (colour ?? BODIES[0]));
    this.surface.material.transparent = overlaid;
    this.surface.material.opacity = overlaid ? 0.72 : 1;
    this.surface.material.needsUpdate = true;
    this.hasBack.value = strain || colour !== null ? 0 : 1;
    const thin = overlaid && colour ? colour : backdrop.springs;
    this.springs.material.color.set(strain ? "#ffffff" : thin);
    this.wire.material.color.set(thin);
    this.tubes?.paint(thin);
    this.arrows.paint(overlaid && colour ? colour : backdrop.arrows);
    this.paintBalls();
    if (this.positions.length === 0) return;
    if (strain) this.colourByStrain();
    else if (perVertex) this.colourByBody();
    this.placeTubes();
  }

  private placeTubes(): void {
    const colours = this.shown.strain ? (this.colours.array as Float32Array) : null;
    this.tubes?.place(this.positions, TUBE * this.ballSize, colours);
  }

  private paintBalls(): void {
    const colour = new Color();
    for (let ball = 0; ball < (this.balls?.count ?? 0); ball += 1) {
      this.balls?.setColorAt(ball, colour.set(this.colour ?? bodyColour(this.parts[ball])));
    }
    if (this.balls?.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }

  /** The particle that a vertex of the drawn surface follows. */
  particleOf(vertex: number): number {
    return this.drawn?.source[vertex] ?? vertex;
  }

  setPins(pins: Iterable<number>): void {
    this.pins = [...pins];
    this.group.remove(...(this.pinBalls ? [this.pinBalls] : []));
    this.pinBalls?.dispose();
    this.pinBalls = this.makeBalls(this.pins.length, PIN, 1.5);
    this.pinBalls.visible = this.shown.pins;
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
    this.colours = dynamic(particles);
    geometry.setAttribute("color", this.drawn.plain ? this.colours : dynamic(vertices));
    this.wire.geometry.setAttribute("position", this.shared);
    this.springs.geometry.setAttribute("position", this.shared);
    this.springs.geometry.setAttribute("color", this.colours);
    const springs = this.springs.geometry.index?.array ?? [];
    const loose = springs.length === 0 && this.triangles.length === 0;
    this.ballSize = loose ? this.largestBall : Math.min(ballSize(positions, springs), this.largestBall);
    this.arrows.start(particles, 0.5 * this.largestBall);
    if (loose && particles <= MOST_TRAILS) {
      this.trails = new Trails(particles, this.largestBall / BALL);
      this.group.add(this.trails.mesh);
    }
    this.balls?.dispose();
    this.balls?.removeFromParent();
    this.balls = particles <= MOST_BALLS ? this.makeBalls(particles, "#ffffff", 1) : null;
    if (this.balls) this.balls.visible = this.shown.particles;
    this.positions = positions;
    this.paint(this.colour, this.backdrop, this.overlaid);
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

  private colourByStrain(): void {
    const colours = this.colours.array as Float32Array;
    const strain = this.strain ?? new Float32Array(colours.length / 3);
    this.strainScale = strainScale(strain);
    for (let at = 0; at < strain.length; at += 1) {
      strainColour(strain[at], this.strainScale, colours, 3 * at);
    }
    this.spreadColours();
  }

  private colourByBody(): void {
    const colour = new Color();
    for (let particle = 0; particle < this.parts.length; particle += 1) {
      colour.set(bodyColour(this.parts[particle])).toArray(this.colours.array, 3 * particle);
    }
    this.spreadColours();
  }

  private spreadColours(): void {
    const colours = this.colours.array as Float32Array;
    this.colours.needsUpdate = true;
    if (this.drawn && !this.drawn.plain) {
      const own = this.surface.geometry.getAttribute("color") as BufferAttribute;
      gather(colours, this.drawn.source, own);
    }
  }

  private makeBalls(count: number, colour: string, scale: number): InstancedMesh {
    const detail = count > 2000 ? 6 : 14;
    const geometry = new SphereGeometry(scale * this.ballSize, detail, Math.ceil(detail / 2) + 1);
    const material = new MeshStandardMaterial({ color: colour, roughness: 0.45 });
    const balls = new InstancedMesh(geometry, material, Math.max(count, 1));
    balls.count = count;
    balls.frustumCulled = false;
    balls.castShadow = true;
    this.group.add(balls);
    return balls;
  }

  private placeBalls(): void {
    const { positions } = this;
    const place = (balls: InstancedMesh | null, particle: (index: number) => number) => {
      if (!balls || !balls.visible) return;
      const matrix = new Matrix4();
      for (let index = 0; index < balls.count; index += 1) {
        const at = 3 * particle(index);
        matrix.setPosition(positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0);
        balls.setMatrixAt(index, matrix);
      }
      balls.instanceMatrix.needsUpdate = true;
    };
    place(this.balls, (index) => index);
    place(this.pinBalls, (index) => this.pins[index]);
  }

  /** Red outside, the colour of bare cloth inside. */
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
      shader.uniforms.backColour = this.backColour;
      shader.uniforms.hasBack = this.hasBack;
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          "#include <common>\nuniform vec3 backColour; uniform float hasBack;",
        )
        .replace(
          "#include <color_fragment>",
          `#include <color_fragment>
          if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, backColour, hasBack);`,
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

/** The radius of a particle (m): a share of a spring's length, never large beside the scene. */
function ballSize(positions: Float32Array, springs: ArrayLike<number>): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < positions.length; at += 1) {
    low[at % 3] = Math.min(low[at % 3], positions[at]);
    high[at % 3] = Math.max(high[at % 3], positions[at]);
  }
  const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  let length = 0;
  const pairs = Math.min(springs.length / 2, 200);
  for (let pair = 0; pair < pairs; pair += 1) {
    const a = 3 * springs[2 * pair];
    const b = 3 * springs[2 * pair + 1];
    length += Math.hypot(
      positions[a] - positions[b],
      positions[a + 1] - positions[b + 1],
      positions[a + 2] - positions[b + 2],
    );
  }
  const typical = pairs > 0 ? length / pairs : size;
  return Math.min(0.16 * typical, 0.022 * size);
}
