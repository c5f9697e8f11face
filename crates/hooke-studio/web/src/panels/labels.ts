// What stands over each run: its method, what a step costs, and whether it can be believed.

import { make } from "../dom";
import { relativeResidual } from "../history";
import type { Report } from "../protocol";
import type { Session } from "../session";
import { RUNS } from "../view/colors";
import type { Viewport } from "../view/viewport";

/** Reports that the shown milliseconds are the mean of. */
const RECENT = 30;

export type Verdict = { mood: "good" | "poor" | "plain"; words: string; doc: string };

export class Labels {
  private readonly labels: { box: HTMLElement; cost: HTMLElement; verdict: HTMLElement }[] = [];

  constructor(
    private readonly session: Session,
    private readonly viewport: Viewport,
    private readonly holder: HTMLElement,
  ) {
    session.on("opened", () => this.build());
    session.on("method", () => this.build());
    session.on("changed", () => this.build());
    session.on("report", ({ run }) => this.fill(run));
    session.on("busy", ({ run, what }) => {
      if (what) this.say(run, { mood: "plain", words: what, doc: "" });
      else this.fill(run);
    });
    session.on("exploded", ({ run }) =>
      this.say(run, { mood: "poor", words: "exploded", doc: "Its state is not finite." }),
    );
  }

  /** Puts the labels where the runs are drawn. */
  update(): void {
    const over = this.viewport.layout === "over";
    for (const [index, { box }] of this.labels.entries()) {
      const cell = this.viewport.cells[over ? 0 : index];
      if (!cell) continue;
      box.style.left = `${cell.x + 12}px`;
      box.style.top = `${cell.y + 12 + (over ? 34 * index : 0)}px`;
      box.style.maxWidth = `${Math.max(cell.width - 24, 80)}px`;
    }
  }

  private build(): void {
    const several = this.session.runs.length > 1;
    this.labels.length = 0;
    this.holder.replaceChildren();
    for (const [index, run] of this.session.runs.entries()) {
      const cost = make("span", { class: "cost" });
      const verdict = make("span", { class: "verdict" });
      const box = make("div", { class: "label" }, make("strong", { text: run.method ?? "rigid bodies" }), cost, verdict);
      if (several) {
        box.classList.add("of-run");
        box.style.setProperty("--run", RUNS[index % RUNS.length]);
      }
      this.holder.append(box);
      this.labels.push({ box, cost, verdict });
      this.fill(index);
    }
    this.update();
  }

  private fill(index: number): void {
    const label = this.labels[index];
    const run = this.session.runs[index];
    if (!label || !run?.history.last || run.exploded) return;
    const recent = run.history.columns.milliseconds.slice(-RECENT) as number[];
    const mean = recent.reduce((a, b) => a + b, 0) / recent.length;
    label.cost.textContent = `${mean < 10 ? mean.toPrecision(2) : mean.toFixed(0)} ms`;
    label.cost.title = "Mean time of the last steps";
    if (!run.busy && run.method !== null) this.say(index, judge(run.history.last));
  }

  private say(index: number, { mood, words, doc }: Verdict): void {
    const label = this.labels[index];
    if (!label) return;
    label.verdict.className = `verdict ${mood}`;
    label.verdict.textContent = words;
    label.verdict.title = doc;
  }
}

/** What a step's report is worth, in a few words. */
export function judge(report: Report): Verdict {
  if (report.taken === false) return { mood: "plain", words: "", doc: "" };
  const share = relativeResidual(report);
  if (share === null) {
    return { mood: "plain", words: "explicit", doc: "There is no solve: see the unexplained energy." };
  }
  const left = share.toExponential(0);
  const count = report.iterations ?? 0;
  const doc = `${count} iterations, ${left} of the forces left unbalanced (${report.end ?? ""}).`;
  if (share <= 1e-4) return { mood: "good", words: `solved · ${count} it.`, doc };
  return { mood: "poor", words: `${percent(share)} unbalanced`, doc };
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
