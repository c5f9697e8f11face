// The live plots: where the energy is, how each iteration went, where the milliseconds went, and
// how far the run is from the truth. With several runs each plot has one line per run.

import { make } from "../dom";
import type { Column } from "../history";
import type { Run, Session } from "../session";
import { RUNS } from "../view/colors";
import { Plot, type Drawing, type Line } from "./plot";

const REDRAW_EVERY = 120;

const NO_RESIDUAL = "This method is explicit: there is no solve and no residual.";

const ENERGIES: [Column, Line][] = [
  ["kinetic", { label: "kinetic", color: "#2f8fc4" }],
  ["elastic", { label: "elastic", color: "#e0523f" }],
  ["gravitational", { label: "gravity", color: "#3f9d57" }],
  ["total", { label: "total", color: "#8a8f98" }],
  ["numerical", { label: "unexplained", color: "#d79a1e", dashed: true }],
];

const PHASES: [Column, Line][] = [
  ["assembly", { label: "assembly", color: "#2f8fc4", filled: true }],
  ["factorization", { label: "factor", color: "#8a63c0", filled: true }],
  ["solution", { label: "solve", color: "#3f9d57", filled: true }],
  ["method", { label: "method", color: "#e0523f", filled: true }],
  ["limit", { label: "limit", color: "#a0763c", filled: true }],
  ["contact", { label: "contact", color: "#d79a1e", filled: true }],
  ["rigidBodies", { label: "rigid bodies", color: "#2a9d94", filled: true }],
  ["chains", { label: "chains", color: "#c2569b", filled: true }],
  ["measure", { label: "measure", color: "#8a8f98", filled: true }],
];

export class Plots {
  private readonly reference = make("input", {
    type: "checkbox",
    onchange: () => this.session.measureError(this.reference.checked),
  });
  private readonly energy = new Plot(
    "Energy (J)",
    "Energies and work. 'Unexplained' is the energy change that no work explains: negative is numerical damping, positive is an energy gain.",
    "Play to see the energy.",
  );
  private readonly residual = new Plot(
    "Residual per iteration (N)",
    "The residual before each iteration of the last solve. A line that stays high means an unconverged step.",
    NO_RESIDUAL,
  );
  private readonly times = new Plot(
    "Milliseconds per step",
    "Time of a step, by phase.",
    "Play to see the times.",
  );
  private readonly error = new Plot(
    "Error of a step",
    "Distance from the converged Newton step, relative to the motion in that step.",
    "Tick 'measure' to compare every step with a converged one.",
    make(
      "label",
      { class: "plot-switch", title: "Also computes a converged step each time, which is slower" },
      this.reference,
      "measure",
    ),
  );
  private readonly bargain = new Plot(
    "Error against milliseconds",
    "Error against time: left is fast, low is accurate.",
    "Tick 'measure' to see error against time.",
  );
  private due = false;

  constructor(
    private readonly session: Session,
    holder: HTMLElement,
  ) {
    for (const plot of this.all()) holder.append(plot.element);
    session.on("opened", () => {
      this.bargain.element.hidden = session.runs.length < 2;
      this.later();
    });
    session.on("report", () => this.later());
    session.on("recovered", () => this.later());
    session.on("reference", (on) => {
      this.reference.checked = on;
      this.later();
    });
  }

  repaint(): void {
    for (const plot of this.all()) plot.repaint();
  }

  /** What is drawn now, for tests. */
  get drawn() {
    return this.all().map((plot) => plot.drawn);
  }

  private all(): Plot[] {
    return [this.energy, this.residual, this.times, this.error, this.bargain];
  }

  private later(): void {
    if (this.due) return;
    this.due = true;
    setTimeout(() => {
      this.due = false;
      this.draw();
    }, REDRAW_EVERY);
  }

  private draw(): void {
    const { runs } = this.session;
    const [first] = runs;
    if (!first) return;
    const several = runs.length > 1;
    const gain = runs.map((run) => run.history.last?.gain).find((gain) => gain);
    const gained = gain ? `, made up from step ${gain.step} on` : "";
    this.energy.title = (several ? "Total energy (J)" : "Energy (J)") + gained;
    this.energy.draw(several ? perRun(runs, "total") : columns(first, ENERGIES));
    this.times.draw(several ? perRun(runs, "milliseconds") : stacked(first));
    const went = first.history.last?.taken === false;
    this.residual.nothing = went ? "Play to see the residual." : NO_RESIDUAL;
    this.residual.draw(residuals(runs));
    this.error.draw({ ...perRun(runs, "error"), logarithmic: true });
    if (several) this.bargain.draw(bargains(runs));
  }
}

function columns({ history }: Run, lines: [Column, Line][]): Drawing {
  return {
    x: history.columns.time,
    lines: lines.map(([, line]) => line),
    values: lines.map(([column]) => history.columns[column]),
    xUnit: "s",
  };
}

/** Each phase on top of those below it; the highest is drawn first. */
function stacked({ history }: Run): Drawing {
  const used = PHASES.filter(([column]) => history.columns[column].some((value) => (value ?? 0) > 1e-4));
  const sums: number[][] = [];
  let below = new Array<number>(history.columns.time.length).fill(0);
  for (const [column] of used) {
    below = below.map((sum, row) => sum + (history.columns[column][row] ?? 0));
    sums.push(below);
  }
  return {
    x: history.columns.time,
    lines: used.map(([, line]) => line).reverse(),
    values: sums.reverse(),
    xUnit: "s",
    cut: true,
  };
}

/** A run has the color of its label in the viewport, which names it. */
function lineOf(index: number): Line {
  return { label: "", color: RUNS[index % RUNS.length] };
}

/** One column of every run over the times of all of them. */
function perRun(runs: Run[], column: Column): Drawing {
  const times = [...new Set(runs.flatMap((run) => run.history.columns.time as number[]))];
  times.sort((a, b) => a - b);
  const values = runs.map(({ history }) => {
    const at = new Map(history.columns.time.map((time, row) => [time, history.columns[column][row]]));
    return times.map((time) => {
      const value = at.get(time) ?? null;
      return column === "error" && !(value !== null && value > 0) ? null : value;
    });
  });
  return {
    x: times,
    lines: runs.map((_, index) => lineOf(index)),
    values,
    xUnit: "s",
    cut: column === "milliseconds",
  };
}

function residuals(runs: Run[]): Drawing {
  const lists = runs.map(({ history }) => {
    const report = history.last;
    if (!report || report.residual == null) return [];
    return [...report.residuals, report.residual].map((value) => (value > 0 ? value : null));
  });
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return {
    x: Array.from({ length: longest }, (_, iteration) => iteration),
    lines: runs.map((_, index) => lineOf(index)),
    values: lists.map((list) => Array.from({ length: longest }, (_, at) => list[at] ?? null)),
    logarithmic: true,
    xUnit: "iteration",
  };
}

/** One point per run: its mean milliseconds and its mean error over the last reports. */
function bargains(runs: Run[]): Drawing {
  const points = runs.map(({ history }) => {
    const recent = (column: Column) => {
      const known = history.columns[column].slice(-60).filter((value) => value !== null && value > 0);
      return known.length > 0 ? known.reduce((a, b) => (a ?? 0) + (b ?? 0), 0)! / known.length : null;
    };
    return { x: recent("milliseconds"), y: recent("error") };
  });
  const order = points.map((_, index) => index).filter((index) => points[index].x !== null);
  order.sort((a, b) => points[a].x! - points[b].x!);
  return {
    x: order.map((index) => points[index].x),
    lines: runs.map((_, index) => lineOf(index)),
    values: runs.map((_, run) => order.map((index) => (index === run ? points[index].y : null))),
    logarithmic: true,
    logarithmicX: true,
    points: true,
    xUnit: "ms",
  };
}
