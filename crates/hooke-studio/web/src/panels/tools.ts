// The tools beside the viewport: what is drawn, and what the mouse does.

import { make } from "../dom";
import type { Session } from "../session";
import type { Shown } from "../view/surface";
import type { Pointer, Tool } from "../view/pointer";
import type { Viewport } from "../view/viewport";
import { button } from "./transport";

interface Toggle {
  part: keyof Shown;
  label: string;
  key: string;
}

export const TOGGLES: Toggle[] = [
  { part: "surface", label: "Surface", key: "1" },
  { part: "wire", label: "Wireframe", key: "2" },
  { part: "springs", label: "Springs", key: "3" },
  { part: "particles", label: "Particles", key: "4" },
  { part: "pins", label: "Pins", key: "5" },
  { part: "velocity", label: "Velocities", key: "6" },
  { part: "strain", label: "Color by strain", key: "7" },
  { part: "shadow", label: "Shadows", key: "8" },
  { part: "ground", label: "Ground", key: "9" },
];

export class Tools {
  private readonly toggles = new Map<keyof Shown, HTMLButtonElement>();
  private readonly tools = new Map<Tool, HTMLButtonElement>();
  private readonly layoutButton: HTMLButtonElement;
  private title = "";

  constructor(
    session: Session,
    private readonly viewport: Viewport,
    private readonly pointer: Pointer,
    holder: HTMLElement,
    private readonly legend: HTMLElement,
  ) {
    const grab = button("grab", "Pull particles with the mouse", "G", () => this.choose("grab"));
    const attractor = button("attractor", "Move the attractor with the mouse", "A", () =>
      this.choose("attractor"),
    );
    this.tools.set("grab", grab).set("attractor", attractor);
    this.layoutButton = button("overlay", "Overlay the runs", "O", () => this.swapLayout());
    this.layoutButton.hidden = true;
    holder.append(
      button("frame", "Show all", "F", () => viewport.frameAll()),
      this.layoutButton,
      make("span", { class: "line" }),
      grab,
      attractor,
      make("span", { class: "line" }),
    );
    for (const { part, label, key } of TOGGLES) {
      const picture = part === "wire" ? "wire" : part;
      const toggle = button(picture, label, key, () => this.toggle(part));
      this.toggles.set(part, toggle);
      holder.append(toggle);
    }
    this.choose("grab");
    this.reflect();
    session.on("opened", (opened) => {
      this.layoutButton.hidden = opened.runs.length < 2;
      // What a person chose stays while the same scene is opened again.
      if (opened.title === this.title) return;
      this.title = opened.title;
      const springs = opened.triangles.length === 0 || opened.style === "springs";
      this.viewport.show({
        ...viewport.shown,
        surface: !springs,
        springs,
        particles: springs,
        strain: viewport.shown.strain || opened.style === "strain",
        ground: opened.ground ?? true,
      });
      this.reflect();
    });
    session.on("report", () => this.showLegend());
  }

  toggle(part: keyof Shown): void {
    this.viewport.show({ ...this.viewport.shown, [part]: !this.viewport.shown[part] });
    this.reflect();
  }

  choose(tool: Tool): void {
    this.pointer.tool = tool;
    for (const [name, each] of this.tools) each.setAttribute("aria-pressed", String(name === tool));
  }

  swapLayout(): void {
    if (this.layoutButton.hidden) return;
    const over = this.viewport.layout === "side";
    this.viewport.setLayout(over ? "over" : "side");
    this.layoutButton.setAttribute("aria-pressed", String(over));
  }

  private reflect(): void {
    for (const [part, each] of this.toggles) {
      each.setAttribute("aria-pressed", String(this.viewport.shown[part]));
    }
    this.showLegend();
  }

  private showLegend(): void {
    this.legend.hidden = !this.viewport.shown.strain;
    if (this.legend.hidden) return;
    const percent = 100 * (this.viewport.bodies[0]?.strainScale ?? 0.01);
    const words = `${Number(percent.toPrecision(2))} %`;
    if (this.legend.dataset.end === words) return;
    this.legend.dataset.end = words;
    this.legend.replaceChildren(
      make("span", { text: `−${words}` }),
      make("span", { class: "scale", role: "img", "aria-label": "From compressed to stretched" }),
      make("span", { text: `+${words}` }),
    );
  }
}
