// One small plot with a title and a legend of its own, drawn by uPlot.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make } from "../dom";

export interface Line {
  label: string;
  color: string;
  /** Fills down to zero, for stacked times. */
  filled?: boolean;
  dashed?: boolean;
}

export interface Drawing {
  x: (number | null)[];
  lines: Line[];
  values: (number | null)[][];
  logarithmic?: boolean;
  logarithmicX?: boolean;
  points?: boolean;
  /** What the numbers below are; iterations are counted. */
  xUnit: "s" | "ms" | "iteration";
  /** Whether single high values may be cut off, so that the others are seen. */
  cut?: boolean;
}

const FONT = "11px system-ui, sans-serif";

export class Plot {
  readonly element: HTMLElement;
  private readonly area = make("div", { class: "plot-area" });
  private readonly legend = make("ul", { class: "plot-legend" });
  private readonly empty = make("p", { class: "plot-empty" });
  private readonly heading: HTMLElement;
  private chart: uPlot | null = null;
  private shape = "";
  private drawing: Drawing | null = null;
  /** Where the scale ends at most. */
  private ceiling = Infinity;

  constructor(title: string, doc: string, public nothing: string, extra?: HTMLElement) {
    this.heading = make("h3", { text: title, title: doc });
    this.element = make(
      "figure",
      { class: "plot", "aria-label": `${title}: ${doc}` },
      make("figcaption", {}, this.heading, ...(extra ? [extra] : []), this.legend),
      this.area,
    );
    this.area.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  draw(drawing: Drawing): void {
    this.drawing = drawing;
    const any = drawing.values.some((column) => column.some((value) => value !== null));
    this.empty.textContent = any ? "" : this.nothing;
    this.area.classList.toggle("nothing", !any);
    const shape = JSON.stringify([drawing.lines, drawing.logarithmic, drawing.points, drawing.logarithmicX]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.rebuild(drawing);
    }
    this.ceiling = drawing.cut ? ceilingOf(drawing.values) : Infinity;
    const data = [drawing.x, ...drawing.values] as uPlot.AlignedData;
    this.chart?.setData(any ? data : (data.map(() => []) as unknown as uPlot.AlignedData));
  }

  set title(words: string) {
    this.heading.textContent = words;
  }

  /** What is drawn now: lines, values, and how many of those there are. */
  get drawn() {
    const { lines, values } = this.drawing ?? { lines: [], values: [] };
    const points = values.flat().filter((value) => value !== null).length;
    const title = this.heading.textContent;
    return { title, hidden: this.element.hidden, lines: lines.map(({ label }) => label), values, points };
  }

  /** After the theme changed. */
  repaint(): void {
    this.chart?.redraw(false, true);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.area;
    if (width > 0 && height > 0) this.chart?.setSize({ width, height });
  }

  private rebuild(drawing: Drawing): void {
    const named = drawing.lines.filter(({ label }) => label !== "");
    this.legend.replaceChildren(
      ...named.map(({ label, color, dashed }) => {
        const swatch = make("span", { class: dashed ? "swatch dashed" : "swatch" });
        swatch.style.setProperty("--color", color);
        return make("li", {}, swatch, label);
      }),
    );
    this.chart?.destroy();
    const axis = (horizontal: boolean): uPlot.Axis => ({
      font: FONT,
      stroke: () => style("--muted"),
      grid: { stroke: () => style("--hairline"), width: 1 },
      ticks: { show: false },
      size: horizontal ? 20 : 46,
      gap: horizontal ? 2 : 4,
      space: horizontal ? 44 : 26,
      splits: (horizontal ? drawing.logarithmicX : drawing.logarithmic) ? decades : undefined,
      filter: (_chart, splits) => splits,
      values: (_chart, splits) => {
        const words = splits.map((value) => (value == null ? "" : short(value)));
        if (horizontal && drawing.xUnit !== "iteration" && words.length > 0) words[words.length - 1] += ` ${drawing.xUnit}`;
        return words;
      },
    });
    const options: uPlot.Options = {
      width: Math.max(this.area.clientWidth, 80),
      height: Math.max(this.area.clientHeight, 60),
      padding: [6, 18, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: drawing.logarithmicX ? { time: false, distr: 3, range: around } : { time: false },
        y: drawing.logarithmic ? { distr: 3, range: around } : { range: (_c, low, high) => comfortable(low, high === null ? null : Math.min(high, this.ceiling)) },
      },
      axes: [axis(true), axis(false)],
      series: [
        {},
        ...drawing.lines.map(
          (line): uPlot.Series => ({
            label: line.label,
            stroke: line.color,
            width: drawing.points ? 0 : 1.6,
            dash: line.dashed ? [5, 4] : undefined,
            fill: line.filled ? line.color : undefined,
            spanGaps: true,
            points: drawing.points
              ? { show: true, size: 9, fill: line.color, stroke: line.color }
              : { show: drawing.logarithmic === true && !line.dashed && drawing.xUnit === "iteration", size: 5 },
          }),
        ),
      ],
    };
    this.chart = drawnByProcessor(() => new uPlot(options, drawing.lines.map(() => []) as never, this.area));
    this.resize();
  }
}

/**
 * Makes a chart whose canvas the processor draws: lines this short are quicker so, and where there is no
 * graphics card they would take more than the scene.
 */
function drawnByProcessor(chart: () => uPlot): uPlot {
  const { prototype } = HTMLCanvasElement;
  const own = prototype.getContext;
  prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    return own.call(this, kind, { ...options, willReadFrequently: true });
  } as typeof own;
  try {
    return chart();
  } finally {
    prototype.getContext = own;
  }
}

/** Somewhat above nearly all values. */
function ceilingOf(values: (number | null)[][]): number {
  const all = values.flat().filter((value) => value !== null);
  all.sort((a, b) => a - b);
  return 1.6 * (all[Math.floor(0.97 * all.length)] ?? Infinity);
}

function comfortable(low: number | null, high: number | null): [number, number] {
  if (low == null || high == null) return [0, 1];
  if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
  const margin = 0.06 * (high - low);
  return [low >= 0 && low < 0.5 * high ? 0 : low - margin, high + margin];
}

/** A range of a logarithmic scale with room at its ends. */
function around(_chart: uPlot, low: number | null, high: number | null): [number, number] {
  if (low == null || high == null || low <= 0) return [1e-3, 1];
  return [low / 1.6, high * 1.6];
}

/** Powers of ten, at most half a dozen of them; finer ones where there are less than two. */
function decades(_chart: uPlot, _axis: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const stride = Math.max(Math.ceil((last - first) / 5), 1);
  const found = [];
  for (let power = first; power <= last; power += stride) found.push(Number(`1e${power}`));
  if (found.length > 1) return found;
  const base = 10 ** Math.floor(Math.log10(low));
  return [1, 2, 5, 10, 20, 50].map((factor) => factor * base).filter((at) => at >= low && at <= high);
}

function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return value.toExponential(0).replace("+", "");
  return String(Number(value.toPrecision(4)));
}

function style(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
