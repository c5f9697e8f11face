// When a run explodes: where, when and why, with fixes that are one click each.

import { make } from "../dom";
import { icon } from "../icons";
import type { Exploded } from "../protocol";
import type { Session } from "../session";
import type { Viewport } from "../view/viewport";

export class Explosions {
  private readonly cards = new Map<number, HTMLElement>();

  constructor(
    private readonly session: Session,
    private readonly viewport: Viewport,
    private readonly holder: HTMLElement,
  ) {
    session.on("exploded", (exploded) => this.show(exploded));
    session.on("recovered", (run) => this.hide(run));
    session.on("opened", () => {
      for (const run of [...this.cards.keys()]) this.hide(run);
    });
  }

  /** Puts each card over its run. */
  update(): void {
    for (const [run, card] of this.cards) {
      const cell = this.viewport.cells[this.viewport.layout === "over" ? 0 : run];
      if (!cell) continue;
      card.style.left = `${cell.x + cell.width / 2}px`;
      card.style.top = `${cell.y + cell.height - 16}px`;
      card.style.maxWidth = `${Math.min(cell.width - 24, 460)}px`;
    }
  }

  private show(exploded: Exploded): void {
    this.hide(exploded.run);
    const { run, step, time, particle, quantity, message, limit, h, fixes } = exploded;
    const method = this.session.runs[run]?.method ?? "The simulation";
    const facts = [
      ["when", `step ${step}, ${time.toPrecision(3)} s`],
    ];
    if (particle !== null) facts.push(["where", `particle ${particle} (red mark), its ${quantity}`]);
    if (limit && "never" in limit) facts.push(["stable", "at no step size"]);
    else if (limit && "linear" in limit) facts.push(["stable", "on linear models only"]);
    else if (limit) {
      const beyond = h > limit.below ? `, ${Number((h / limit.below).toPrecision(2))} times too long` : "";
      facts.push(["stable below", `${seconds(limit.below)}; a step is ${seconds(h)}${beyond}`]);
    }
    const card = make(
      "section",
      { class: "explosion", role: "alert", "aria-label": "Explosion" },
      make("h2", {}, icon("warning"), `${method} exploded`),
      make("p", { text: message }),
      make("dl", {}, ...facts.flatMap(([term, text]) => [make("dt", { text: term }), make("dd", { text })])),
      make(
        "div",
        { class: "fixes" },
        ...fixes.map((fix, index) =>
          make("button", {
            type: "button",
            class: index === 0 ? "primary" : "",
            text: fix.label,
            onclick: () => this.session.applyFix(run, fix.do),
          }),
        ),
      ),
    );
    this.cards.set(run, card);
    this.holder.append(card);
    this.viewport.showBefore(run);
    this.viewport.markParticle(run, particle);
    this.update();
  }

  private hide(run: number): void {
    this.cards.get(run)?.remove();
    if (this.cards.delete(run)) this.viewport.mend(run);
  }
}

function seconds(time: number): string {
  return `${Number((1000 * time).toPrecision(3))} ms`;
}
