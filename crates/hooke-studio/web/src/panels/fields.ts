// Controls that lil-gui does not have: a number with a slider that may be logarithmic, and a
// vector. Both are labeled for screen readers and show unit and meaning.

import { Controller, type GUI } from "lil-gui";
import { make } from "../dom";
import type { Vector } from "../protocol";

type Holder = Record<string, unknown>;

export interface Range {
  min: number;
  max: number;
  whole: boolean;
  logarithmic: boolean;
}

const SLIDER_STEPS = 1000;

/** Where a value stands on a slider, 0 to 1. */
export function toSlider(value: number, { min, max, logarithmic }: Range): number {
  if (!logarithmic) return (value - min) / (max - min);
  const low = lowest(min, max);
  return Math.max(Math.log(value / low) / Math.log(max / low), 0);
}

/** The value at a position of a slider, rounded to three digits or to a whole number. */
export function fromSlider(share: number, { min, max, logarithmic, whole }: Range): number {
  if (share <= 0) return min;
  if (share >= 1) return max;
  const low = lowest(min, max);
  const exact = logarithmic ? low * (max / low) ** share : min + share * (max - min);
  return whole ? Math.round(exact) : Number(exact.toPrecision(3));
}

/** Zero has no position on a logarithmic slider: it stands at the left end, below this. */
function lowest(min: number, max: number): number {
  return min > 0 ? min : Math.min(1e-12, max * 1e-6);
}

/** Whether a range spans so much that equal steps would be useless. */
export function isWide(min: number, max: number): boolean {
  return max > 1000 || (min > 0 && max / min > 100);
}

export class NumberField extends Controller {
  private readonly slider: HTMLInputElement | null;
  private readonly field: HTMLInputElement;
  private auto: HTMLButtonElement | null = null;

  constructor(
    parent: GUI,
    object: Holder,
    property: string,
    private readonly range: Range,
    unit: string,
    auto = false,
  ) {
    super(parent, object, property, "number-field");
    const label = this.$name.id;
    const finite = Number.isFinite(range.min) && Number.isFinite(range.max);
    this.slider = finite
      ? make("input", {
          type: "range",
          min: 0,
          max: SLIDER_STEPS,
          step: 1,
          "aria-labeledby": label,
          oninput: () => this.slide(),
          onchange: () => this._callOnFinishChange(),
        })
      : null;
    this.field = make("input", {
      type: "text",
      inputmode: "decimal",
      "aria-labeledby": label,
      onchange: () => this.type(),
      onkeydown: (event: KeyboardEvent) => this.nudge(event),
    });
    if (this.slider) this.$widget.append(this.slider);
    this.$widget.append(this.field);
    if (auto) {
      this.auto = make("button", { type: "button", text: "auto", class: "auto", onclick: () => this.letChoose() });
      this.$widget.append(this.auto);
    }
    if (unit) this.$widget.append(make("span", { class: "unit", text: unit }));
    this.$disable = this.field;
    this.updateDisplay();
  }

  override updateDisplay(): this {
    const chosen = this.getValue() === "auto";
    const value = chosen ? this.range.min : Number(this.getValue());
    this.field.value = chosen ? "auto" : written(value);
    this.auto?.setAttribute("aria-pressed", String(chosen));
    if (this.slider) {
      this.slider.value = String(Math.round(SLIDER_STEPS * toSlider(value, this.range)));
      this.slider.setAttribute("aria-valuetext", written(value));
    }
    return this;
  }

  private letChoose(): void {
    this.setValue(this.getValue() === "auto" ? this.range.min : "auto");
    this._callOnFinishChange();
  }

  private slide(): void {
    this.setValue(fromSlider(Number(this.slider?.value) / SLIDER_STEPS, this.range));
  }

  private type(): void {
    this.take(readNumber(this.field.value));
  }

  private nudge(event: KeyboardEvent): void {
    const sign = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (sign === 0) return;
    event.preventDefault();
    const value = Number(this.getValue());
    const { whole, logarithmic, min, max } = this.range;
    if (whole) this.take(value + sign);
    else if (logarithmic) this.take(Number((value * (sign > 0 ? 1.1 : 1 / 1.1)).toPrecision(3)));
    else this.take(Number((value + (sign * (max - min)) / 100).toPrecision(6)));
  }

  private take(value: number): void {
    if (Number.isFinite(value)) {
      const { min, max, whole } = this.range;
      const inside = Math.min(Math.max(value, min), max);
      this.setValue(whole ? Math.round(inside) : inside);
    }
    this.updateDisplay();
    this._callOnFinishChange();
  }
}

export class VectorField extends Controller {
  private readonly fields: HTMLInputElement[];

  constructor(parent: GUI, object: Holder, property: string, unit: string) {
    super(parent, object, property, "vector-field");
    this.fields = ["x", "y", "z"].map((axis, index) =>
      make("input", {
        type: "text",
        inputmode: "decimal",
        title: axis,
        "aria-labeledby": this.$name.id,
        "aria-description": axis,
        onchange: () => this.take(index),
      }),
    );
    this.$widget.append(...this.fields);
    if (unit) this.$widget.append(make("span", { class: "unit", text: unit }));
    this.updateDisplay();
  }

  override updateDisplay(): this {
    const value = this.getValue() as Vector;
    for (const [index, field] of this.fields.entries()) field.value = written(value[index]);
    return this;
  }

  private take(index: number): void {
    const number = readNumber(this.fields[index].value);
    if (Number.isFinite(number)) {
      const next = [...(this.getValue() as Vector)];
      next[index] = number;
      this.setValue(next);
    }
    this.updateDisplay();
    this._callOnFinishChange();
  }
}

/** Reads "0.01", "1e-3" and "1/60". */
export function readNumber(text: string): number {
  const parts = text.trim().split("/");
  if (parts.some((part) => part.trim() === "")) return NaN;
  const numbers = parts.map(Number);
  if (numbers.length === 2) return numbers[0] / numbers[1];
  return numbers.length === 1 ? numbers[0] : NaN;
}

/** A number written as briefly as possible without a loss that matters: 1/60 rather than 0.0166667. */
export function written(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Number(value.toPrecision(6));
  const decimal = Math.abs(value) < 1e-3 && value !== 0 ? rounded.toExponential() : String(rounded);
  const parts = Math.round(1 / value);
  const unitFraction = parts >= 2 && parts <= 10_000 && Math.abs(1 / value - parts) < 1e-6 * parts;
  return unitFraction && decimal.length > 6 ? `1/${parts}` : decimal;
}
