// The picture: one canvas, one camera, one to four runs side by side or laid over each other.
// It draws only when something changed.

import {
  Box3,
  Color,
  PCFShadowMap,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Frame, ObstacleFrame, Opened, Vector } from "../protocol";
import { BALL, Body, type Shown } from "./surface";
import { cellsOf, type Cell } from "./cells";
import { DARK, LIGHT, RUNS, type Backdrop } from "./colors";
import { distance, Eye } from "./eye";
import { Ground } from "./ground";
import { Lights } from "./lights";
import { Marks } from "./marks";
import { floorHeight, Obstacles } from "./obstacles";
import { isSoftware, AdaptiveResolution } from "./adaptive_resolution";

/** What is this many sizes of the scene away was flung there by an explosion. */
const FLUNG = 5;

export type Layout = "side" | "over";

export class Viewport {
  readonly eye: Eye;
  bodies: Body[] = [];
  cells: Cell[] = [];
  layout: Layout = "side";
  frames = 0;
  framesPerSecond = 0;
  /** Takes frames but draws no picture, to measure what all else costs. */
  blind = false;
  /** Milliseconds so far that taking frames and drawing pictures took of the script. */
  readonly spent = { taking: 0, drawing: 0 };
  /** Called after each picture with the number of streamed frames it used up. */
  onDrawn: (frames: number) => void = () => {};
  onLayout: () => void = () => {};

  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly lights: Lights;
  private readonly ground = new Ground();
  private readonly obstacles = new Obstacles();
  private readonly marks = new Marks();
  private readonly pending = new Map<number, Frame>();
  /** The last frame of each run that was not flung away. */
  private readonly whole = new Map<number, Frame>();
  private readonly broken = new Set<number>();
  private received = 0;
  private dirty = true;
  private backdrop: Backdrop = LIGHT;
  private opened: Opened | null = null;
  private bounds = new Sphere(new Vector3(), 1);
  private fitted = false;
  private groundHeight = 0;
  private floor: number | null = null;
  private drawnAt: number[] = [];
  private readonly resolution: AdaptiveResolution;

  constructor(
    private readonly holder: HTMLElement,
    public shown: Shown,
  ) {
    const software = isSoftware();
    this.resolution = new AdaptiveResolution(software);
    this.renderer = new WebGLRenderer({ antialias: !software });
    this.renderer.shadowMap.enabled = true;
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(this.resolution.ratio);
    this.renderer.domElement.className = "canvas";
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("role", "application");
    this.renderer.domElement.setAttribute(
      "aria-label",
      "The simulation. Drag a particle to pull it, drag beside it to rotate the view. Arrow keys rotate the view, plus and minus zoom, F shows all.",
    );
    holder.prepend(this.renderer.domElement);
    this.lights = new Lights(this.scene, software);
    this.scene.add(this.ground.mesh, this.obstacles.group, this.marks.group);
    this.eye = new Eye(this.renderer.domElement, () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(holder);
    requestAnimationFrame(() => this.tick());
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  /** Radius of what is seen (m). */
  get size(): number {
    return this.bounds.radius;
  }

  open(opened: Opened): void {
    const same = JSON.stringify(this.opened?.camera) === JSON.stringify(opened.camera) && this.fitted;
    this.opened = opened;
    for (const body of this.bodies) body.dispose();
    this.bodies = opened.runs.map(() => {
      const body = new Body(opened, this.shown, BALL * distance(opened.camera));
      body.setPins(opened.pins);
      this.scene.add(body.group);
      return body;
    });
    this.pending.clear();
    this.whole.clear();
    this.broken.clear();
    this.marks.showBroken(undefined, null);
    this.floor = floorHeight(opened.obstacles);
    this.showAttractors(opened.attractors ?? []);
    this.showAttractor(null);
    if (!same) {
      this.fitted = false;
      this.eye.take(opened.camera);
      this.lights.raise(this.eye.camera.position, this.eye.orbit.target);
    }
    this.paint(this.backdrop);
    this.arrange();
  }

  receive(frame: Frame): void {
    const flung = this.fitted && this.isFlung(frame.positions);
    if (!flung) this.whole.set(frame.run, frame);
    if (!flung || !this.broken.has(frame.run)) this.pending.set(frame.run, frame);
    this.received += 1;
    this.dirty = true;
  }

  show(shown: Shown): void {
    this.shown = shown;
    for (const body of this.bodies) body.show(shown);
    this.ground.mesh.visible = shown.ground;
    this.lights.shadows = shown.shadow;
    this.redraw();
  }

  setLayout(layout: Layout): void {
    this.layout = layout;
    this.paint(this.backdrop);
    this.arrange();
  }

  setDark(dark: boolean): void {
    this.paint(dark ? DARK : LIGHT);
  }

  setPins(pins: Iterable<number>): void {
    const list = [...pins];
    for (const body of this.bodies) body.setPins(list);
    this.redraw();
  }

  moveObstacles(frames: ObstacleFrame[]): void {
    this.obstacles.move(frames);
    this.redraw();
  }

  /** Shows a run as it was before its particles were flung away. */
  showBefore(run: number): void {
    const frame = this.whole.get(run);
    this.broken.add(run);
    if (!frame) return;
    this.pending.delete(run);
    this.bodies[run]?.update(frame);
    this.redraw();
  }

  /** The run goes on: whatever it does is shown again. */
  mend(run: number): void {
    this.broken.delete(run);
    this.markParticle(run, null);
  }

  /** Marks the particle a run broke at; null takes the mark away. */
  markParticle(run: number, particle: number | null): void {
    this.marks.showBroken(this.bodies[run]?.positions, particle);
    this.marks.fit(this.size);
    this.redraw();
  }

  showAttractor(at: Vector | null): void {
    this.marks.showAttractor(at);
    this.marks.fit(this.size);
    this.redraw();
  }

  /** The attractors of the scene. */
  showAttractors(attractors: Vector[]): void {
    this.marks.showAttractors(attractors, this.size);
    this.redraw();
  }

  /** Moves the camera so that everything is seen, without turning it. */
  frameAll(): void {
    const box = this.box();
    if (!box.isEmpty()) this.eye.show(box, this.cells[0]);
    this.redraw();
  }

  redraw(): void {
    this.dirty = true;
  }

  /** The cell under a point of the canvas, with the runs drawn in it. */
  cellAt(x: number, y: number): { cell: Cell; runs: number[] } | null {
    for (const [index, cell] of this.cells.entries()) {
      const inside = x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height;
      if (!inside) continue;
      const over = this.layout === "over";
      return { cell, runs: over ? [...this.bodies.keys()] : [index] };
    }
    return null;
  }

  /** Where a particle is drawn, in CSS pixels of the page. */
  screenPosition(run: number, particle: number): { x: number; y: number } | null {
    const cell = this.cells[this.layout === "over" ? 0 : run];
    const positions = this.bodies[run]?.positions;
    if (!cell || !positions || 3 * particle >= positions.length) return null;
    this.eye.lookInto(cell);
    const point = new Vector3().fromArray(positions, 3 * particle).project(this.eye.camera);
    const corner = this.canvas.getBoundingClientRect();
    return {
      x: corner.left + cell.x + ((point.x + 1) / 2) * cell.width,
      y: corner.top + cell.y + ((1 - point.y) / 2) * cell.height,
    };
  }

  /** Whether nothing moves and all is drawn finely. */
  get resting(): boolean {
    return !this.dirty && this.resolution.resting;
  }

  /** The picture as an address that holds all of it. */
  picture(): string {
    this.draw();
    return this.canvas.toDataURL("image/png");
  }

  private isFlung(positions: Float32Array): boolean {
    const { center, radius } = this.bounds;
    const far = FLUNG * radius;
    for (let at = 0; at < positions.length; at += 3) {
      const [x, y, z] = [positions[at] - center.x, positions[at + 1] - center.y, positions[at + 2] - center.z];
      if (x * x + y * y + z * z > far * far) return true;
    }
    return false;
  }

  private paint(backdrop: Backdrop): void {
    this.backdrop = backdrop;
    this.scene.background = new Color(backdrop.background);
    this.lights.paint(backdrop);
    this.ground.paint(backdrop);
    const several = this.bodies.length > 1;
    const over = several && this.layout === "over";
    for (const [index, body] of this.bodies.entries()) {
      body.paint(several ? RUNS[index % RUNS.length] : null, backdrop, over);
    }
    this.show(this.shown);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.holder;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.arrange();
  }

  private arrange(): void {
    const { clientWidth, clientHeight } = this.holder;
    this.cells = cellsOf(
      this.layout === "over" ? 1 : Math.max(this.bodies.length, 1),
      clientWidth,
      clientHeight,
    );
    this.onLayout();
    this.redraw();
  }

  private tick(): void {
    requestAnimationFrame(() => this.tick());
    if (this.resolution.changed(this.dirty)) {
      this.renderer.setPixelRatio(this.resolution.ratio);
      this.dirty = true;
    }
    if (!this.dirty) return;
    this.dirty = false;
    const start = performance.now();
    for (const [run, frame] of this.pending) this.bodies[run]?.update(frame);
    const received = this.received;
    const fresh = this.pending.size > 0;
    this.pending.clear();
    this.received = 0;
    if (fresh) this.follow();
    const taken = performance.now();
    if (!this.blind) this.draw();
    this.spent.taking += taken - start;
    this.spent.drawing += performance.now() - taken;
    if (fresh) this.count();
    if (received > 0) this.onDrawn(received);
  }

  private box(): Box3 {
    const box = new Box3();
    for (const body of this.bodies) grow(box, body.positions);
    return box;
  }

  /** The height of the scene's floor, below the balls that lie on it: particles have no size. */
  private floorBelow(): number | null {
    if (this.floor === null || !this.shown.particles) return this.floor;
    return this.floor - Math.max(...this.bodies.map((body) => body.ballSize));
  }

  /** Keeps floor, shadows and clipping planes around what moves. */
  private follow(): void {
    const box = this.box();
    if (box.isEmpty()) return;
    if (!this.fitted) {
      box.getBoundingSphere(this.bounds);
      const reach = this.eye.camera.position.distanceTo(this.eye.orbit.target);
      this.bounds.radius = Math.max(this.bounds.radius, 0.25 * reach, 1e-3);
      this.groundHeight = this.floorBelow() ?? box.min.y - 0.4 * this.bounds.radius;
      this.fitted = true;
      this.fit();
    } else if (this.floor === null && box.min.y < this.groundHeight + 0.02 * this.size) {
      this.groundHeight = box.min.y - 0.2 * this.size;
      this.ground.fit(this.size, this.groundHeight);
    }
    const middle = box.getCenter(new Vector3());
    if (this.lights.misses(middle, this.size)) this.lights.aim(middle, this.size);
  }

  private fit(): void {
    this.eye.fit(this.size);
    this.ground.fit(this.size, this.groundHeight);
    this.obstacles.show(this.opened?.obstacles ?? [], this.size, this.bounds.center);
    this.showAttractors(this.opened?.attractors ?? []);
    this.lights.aim(this.bounds.center, this.size);
  }

  private draw(): void {
    const height = this.holder.clientHeight;
    const over = this.layout === "over";
    this.renderer.setScissorTest(true);
    for (const [index, cell] of this.cells.entries()) {
      for (const [run, body] of this.bodies.entries()) body.group.visible = over || run === index;
      const bottom = height - cell.y - cell.height;
      this.renderer.setViewport(cell.x, bottom, cell.width, cell.height);
      this.renderer.setScissor(cell.x, bottom, cell.width, cell.height);
      this.eye.lookInto(cell);
      this.renderer.render(this.scene, this.eye.camera);
    }
    for (const body of this.bodies) body.group.visible = true;
  }

  private count(): void {
    this.frames += 1;
    const now = performance.now();
    this.drawnAt.push(now);
    while (this.drawnAt[0] < now - 1000) this.drawnAt.shift();
    this.framesPerSecond = this.drawnAt.length;
  }
}

function grow(box: Box3, positions: Float32Array): void {
  const point = new Vector3();
  for (let at = 0; at < positions.length; at += 3) box.expandByPoint(point.fromArray(positions, at));
}
