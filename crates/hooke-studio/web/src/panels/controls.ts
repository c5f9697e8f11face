// The controls, generated from the catalogue: methods with their settings, and the world. Names,
// units, ranges and docs come from the server's registries.

import { Controller, GUI } from "lil-gui";
import { make } from "../dom";
import type { Method, Settings, Setting, Vector, WorldControl } from "../protocol";
import type { Session } from "../session";
import { RUNS } from "../view/colours";
import { isWide, NumberField, VectorField } from "./fields";

export class Controls {
  private gui: GUI | null = null;
  /** Which folders a person closed, by title, so that a new scene does not open them again. */
  private readonly closed = new Set<string>();

  constructor(
    private readonly session: Session,
    private readonly holder: HTMLElement,
  ) {
    session.on("opened", () => this.build());
    session.on("method", () => this.build());
  }

  private build(): void {
    const scroll = this.holder.parentElement?.scrollTop ?? 0;
    const focused = document.activeElement?.getAttribute("aria-labelledby");
    this.gui?.destroy();
    this.gui = new GUI({ container: this.holder, injectStyles: false, title: "Controls" });
    for (const index of this.session.runs.keys()) this.addMethod(this.gui, index);
    this.addWorld(this.gui);
    if (this.holder.parentElement) this.holder.parentElement.scrollTop = scroll;
    if (focused) {
      this.holder.querySelector<HTMLElement>(`[aria-labelledby="${focused}"]`)?.focus();
    }
  }

  private folder(parent: GUI, title: string, colour?: string): GUI {
    const folder = parent.addFolder(title);
    if (colour) folder.$title.style.setProperty("--run", colour);
    folder.$title.classList.toggle("of-run", colour !== undefined);
    if (this.closed.has(title)) folder.close();
    folder.onOpenClose((changed) => {
      if (changed !== folder) return;
      if (folder._closed) this.closed.add(title);
      else this.closed.delete(title);
    });
    return folder;
  }

  private addMethod(gui: GUI, index: number): void {
    const { methods } = this.session.catalogue;
    const run = this.session.runs[index];
    const several = this.session.runs.length > 1;
    const title = several ? `Run ${index + 1}: ${run.method}` : "Method";
    const folder = this.folder(gui, title, several ? RUNS[index] : undefined);
    const chosen = { name: run.method };
    const choice = folder.add(chosen, "name", methods.map((method) => method.name)).name("method");
    choice.onChange((name: string) => this.session.chooseMethod(index, name, {}));
    label(choice, "How the state is advanced");
    const method = methods.find((each) => each.name === run.method);
    if (!method) return;
    folder.$children.append(about(method));
    const values: Settings = {};
    for (const setting of method.settings) {
      values[setting.name] = run.settings[setting.name] ?? setting.default;
    }
    for (const setting of method.settings) {
      addSetting(folder, values, setting, () =>
        this.session.chooseMethod(index, method.name, changed(values, method)),
      );
    }
  }

  private addWorld(gui: GUI): void {
    const now = this.session.opened?.controls ?? {};
    const controls = (this.session.catalogue.controls ?? []).filter(({ what }) => what in now);
    if (controls.length === 0) return;
    const folder = this.folder(gui, "World and time");
    const values: Record<string, unknown> = { ...now };
    for (const control of controls) {
      const field = worldField(folder, values, control);
      field.name(control.label);
      label(field, control.doc);
      field.onFinishChange((value: number | Vector) => this.session.set(control.what, value));
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
    logarithmic: control.logarithmic ?? isWide(min, max),
  };
  return new NumberField(folder, values, what, range, unit);
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
    if (!input.hasAttribute("aria-labelledby")) input.setAttribute("aria-labelledby", field.$name.id);
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
