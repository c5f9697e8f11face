// The controls, generated from the catalog: methods with their settings, and the world. Names,
// units, ranges and docs come from the server's registries.

import { Controller, GUI } from "lil-gui";
import { make } from "../dom";
import type { Amount, Method, Settings, Setting, WorldControl } from "../protocol";
import type { Session } from "../session";
import { RUNS } from "../view/colors";
import { isWide, NumberField, VectorField } from "./fields";

export class Controls {
  private gui: GUI | null = null;
  /** What the fields show: settings of each run, and the world. */
  private settings: Settings[] = [];
  private world: Record<string, unknown> = {};
  private controls: WorldControl[] = [];
  /** Which fields there are; while it stays the same, values are shown in place. */
  private shape = "";
  /** Which folders a person closed, so that a new scene does not open them again. */
  private readonly closed = new Set<string>();

  constructor(
    private readonly session: Session,
    private readonly holder: HTMLElement,
  ) {
    session.on("opened", ({ controls }) => this.show(controls));
    session.on("changed", ({ controls }) => this.show(controls));
    session.on("method", () => this.show(this.controls));
  }

  private show(controls: WorldControl[]): void {
    this.controls = controls;
    const { runs } = this.session;
    const shape = JSON.stringify([runs.map((run) => run.method), controls.map(({ what, min, max }) => [what, min, max])]);
    if (shape === this.shape) return this.refresh();
    this.shape = shape;
    const scroll = this.holder.parentElement?.scrollTop ?? 0;
    this.gui?.destroy();
    this.gui = new GUI({ container: this.holder, injectStyles: false, title: "Controls" });
    this.settings = runs.map((_, index) => this.settingsOf(index));
    this.world = Object.fromEntries(controls.map(({ what, value }) => [what, value]));
    for (const index of runs.keys()) this.addMethod(this.gui, index);
    this.addWorld(this.gui);
    if (this.holder.parentElement) this.holder.parentElement.scrollTop = scroll;
  }

  /** The same fields, other values. */
  private refresh(): void {
    for (const [index, settings] of this.settings.entries()) {
      Object.assign(settings, this.settingsOf(index));
    }
    for (const { what, value } of this.controls) this.world[what] = value;
    for (const field of this.gui?.controllersRecursive() ?? []) {
      if (!field.domElement.contains(document.activeElement)) field.updateDisplay();
    }
  }

  private methodOf(index: number): Method | undefined {
    return this.session.catalog.methods.find(({ name }) => name === this.session.runs[index].method);
  }

  private settingsOf(index: number): Settings {
    const run = this.session.runs[index];
    const known = this.methodOf(index)?.settings ?? [];
    return Object.fromEntries(known.map(({ name, default: usual }) => [name, run.settings[name] ?? usual]));
  }

  private folder(parent: GUI, title: string, color?: string): GUI {
    const folder = parent.addFolder(title);
    if (color) folder.$title.style.setProperty("--run", color);
    folder.$title.classList.toggle("of-run", color !== undefined);
    if (this.closed.has(title)) folder.close();
    folder.onOpenClose((changed) => {
      if (changed !== folder) return;
      if (folder._closed) this.closed.add(title);
      else this.closed.delete(title);
    });
    return folder;
  }

  private addMethod(gui: GUI, index: number): void {
    const { methods } = this.session.catalog;
    const run = this.session.runs[index];
    if (run.method === null) return;
    const several = this.session.runs.length > 1;
    const title = several ? `Run ${index + 1}: ${run.method}` : "Method";
    const folder = this.folder(gui, title, several ? RUNS[index] : undefined);
    const chosen = { name: run.method };
    const choice = folder.add(chosen, "name", methods.map((method) => method.name)).name("method");
    choice.onChange((name: string) => this.session.chooseMethod(index, name, {}));
    const method = this.methodOf(index);
    if (!method) return;
    label(choice, method.doc);
    if (!several) folder.$children.append(about(method));
    const values = this.settings[index];
    for (const setting of method.settings) {
      addSetting(folder, values, setting, () =>
        this.session.chooseMethod(index, method.name, changed(values, method)),
      );
    }
  }

  private addWorld(gui: GUI): void {
    if (this.controls.length === 0) return;
    const folder = this.folder(gui, "World and time");
    for (const control of this.controls) {
      const field = worldField(folder, this.world, control);
      field.name(control.label);
      label(field, control.doc);
      field.onFinishChange((value: Amount) => this.session.set(control.what, value));
    }
  }
}

function worldField(folder: GUI, values: Record<string, unknown>, control: WorldControl): Controller {
  const { what, kind, unit, min, max } = control;
  if (kind === "vector") return new VectorField(folder, values, what, unit);
  const range = {
    min,
    max,
    whole: kind === "integer",
    logarithmic: control.log ?? isWide(min, max),
  };
  return new NumberField(folder, values, what, range, unit, control.auto);
}

function addSetting(folder: GUI, values: Settings, setting: Setting, changed: () => void): void {
  const { name, kind, min = -Infinity, max = Infinity } = setting;
  let field: Controller;
  if (kind === "choice") {
    field = folder.add(values, name, setting.choices ?? []);
    field.onChange(changed);
  } else if (kind === "flag") {
    field = folder.add(values, name);
    field.onChange(changed);
  } else {
    const small = typeof setting.default === "number" && setting.default > 0 && setting.default < 1e-3 * max;
    const range = { min, max, whole: kind === "integer", logarithmic: small || isWide(min, max) };
    field = new NumberField(folder, values, name, range, setting.unit);
    field.onFinishChange(changed);
  }
  field.name(name.replaceAll("_", " "));
  label(field, setting.doc);
}

/** The settings that differ from their defaults: what is left unsaid follows the registry. */
function changed(values: Settings, method: Method): Settings {
  const differing = method.settings.filter(({ name, default: usual }) => values[name] !== usual);
  return Object.fromEntries(differing.map(({ name }) => [name, values[name]]));
}

/** The doc of a control as a tooltip, for sighted readers and for others. */
function label(field: Controller, doc: string): void {
  field.domElement.title = doc;
  for (const input of field.$widget.querySelectorAll("input, select")) {
    if (!input.hasAttribute("aria-labeledby")) input.setAttribute("aria-labeledby", field.$name.id);
    if (!input.hasAttribute("aria-description")) input.setAttribute("aria-description", doc);
  }
}

function about(method: Method): HTMLElement {
  return make(
    "div",
    { class: "about-method" },
    make("p", { text: method.doc }),
    make(
      "dl",
      { title: method.reference },
      make("dt", { text: "order" }),
      make("dd", { text: String(method.order) }),
      make("dt", { text: "stable" }),
      make("dd", { text: method.stable }),
      make("dt", { text: "a step" }),
      make("dd", { text: method.cost }),
    ),
  );
}
