// The mouse in the viewport: pull a particle, pin it, move the attractor, else rotate the view.

import type { Vector3 } from "three";
import type { Session } from "../session";
import type { Vector } from "../protocol";
import { Picker, type Picked } from "./pick";
import type { Viewport } from "./viewport";

export type Tool = "grab" | "attractor";

export class Pointer {
  tool: Tool = "grab";
  private readonly picker: Picker;
  private target: Picked | null = null;
  private pulling = false;
  private next: Vector | null = null;
  /** Where the mouse hovers and it is not yet known what is there. */
  private hover: PointerEvent | null = null;

  constructor(
    private readonly session: Session,
    private readonly viewport: Viewport,
  ) {
    this.picker = new Picker(viewport);
    const { canvas } = viewport;
    // Before the orbit controls see it: what is grabbed does not rotate the view.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => this.up());
    canvas.addEventListener("pointercancel", () => this.up());
    canvas.addEventListener("dblclick", (event) => this.pin(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** The particle that is pulled now. */
  get grabbed(): { run: number; particle: number } | null {
    return this.target;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || event.altKey || event.ctrlKey || event.shiftKey) return;
    if (this.tool === "attractor") {
      this.pulling = true;
      this.moveAttractor(event);
    } else {
      this.target = this.picker.pick(event.offsetX, event.offsetY);
      if (!this.target) return;
      const at = this.target.at.toArray() as Vector;
      this.session.grab(this.target.run, this.target.particle, at);
    }
    this.viewport.eye.orbit.enabled = false;
    this.viewport.canvas.setPointerCapture(event.pointerId);
    this.viewport.canvas.classList.add("pulling");
    requestAnimationFrame(() => this.flush());
  }

  private move(event: PointerEvent): void {
    if (this.pulling) return this.moveAttractor(event);
    if (this.target) {
      this.next = this.picker.onPlane(event.offsetX, event.offsetY, this.target.at);
      return;
    }
    if (event.buttons !== 0 || this.tool !== "grab") return;
    if (!this.hover) requestAnimationFrame(() => this.updateHover());
    this.hover = event;
  }

  /** Looks what is under the mouse, once per picture. */
  private updateHover(): void {
    const over = this.hover && this.picker.pick(this.hover.offsetX, this.hover.offsetY) !== null;
    this.hover = null;
    this.viewport.canvas.classList.toggle("grabbable", over === true);
  }

  /** At most one message per picture, however fast the mouse reports. */
  private flush(): void {
    if (!this.target && !this.pulling) return;
    if (this.next && this.target) this.session.drag(this.next);
    if (this.next && this.pulling) this.session.moveAttractor(this.next);
    this.next = null;
    requestAnimationFrame(() => this.flush());
  }

  private up(): void {
    if (this.target) {
      if (this.next) this.session.drag(this.next);
      this.session.release();
    }
    this.target = null;
    this.pulling = false;
    this.next = null;
    this.viewport.eye.orbit.enabled = true;
    this.viewport.canvas.classList.remove("pulling");
  }

  private pin(event: MouseEvent): void {
    if (this.tool === "attractor") {
      this.session.moveAttractor(null);
      this.viewport.showAttractor(null);
      return;
    }
    const picked = this.picker.pick(event.offsetX, event.offsetY);
    if (picked) this.session.togglePin(picked.run, picked.particle);
  }

  private moveAttractor(event: PointerEvent): void {
    const through: Vector3 = this.viewport.eye.orbit.target;
    this.next = this.picker.onPlane(event.offsetX, event.offsetY, through);
    if (this.next) this.viewport.showAttractor(this.next);
  }
}
