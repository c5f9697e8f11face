// The bar of time: reset, step, play, the timeline and the speed.

import { make } from "../dom";
import { icon } from "../icons";
import type { Session } from "../session";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Transport {
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = make("output", { class: "clock", "aria-label": "Time and step" });
  private readonly speed: HTMLSelectElement;
  private scrubbing = false;

  constructor(
    private readonly session: Session,
    holder: HTMLElement,
  ) {
    this.play = button("play", "Play", "Space", () => session.toggle());
    this.play.classList.add("primary");
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      step: 1,
      class: "timeline",
      "aria-label": "Timeline: recorded frames",
      title: "Drag to go back; play continues from there",
      oninput: () => this.scrub(),
      onchange: () => (this.scrubbing = false),
    });
    this.speed = make(
      "select",
      {
        "aria-label": "Speed",
        title: "Speed of the simulation",
        onchange: () => session.setSpeed(Number(this.speed.value)),
      },
      ...SPEEDS.map((factor) =>
        make("option", { value: factor, text: `${factor}×`, selected: factor === 1 }),
      ),
    );
    holder.append(
      button("reset", "Back to the start", "R", () => session.reset()),
      this.play,
      button("step", "One step", ".", () => session.step()),
      this.slider,
      this.clock,
      this.speed,
    );
    session.on("playing", (playing) => this.showPlaying(playing));
    session.on("timeline", () => this.showTimeline());
    session.on("opened", () => this.showTimeline());
    session.on("report", (report) => {
      if (report.run === 0) this.showClock(report.time, report.step);
    });
  }

  private showPlaying(playing: boolean): void {
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    const words = playing ? "Pause" : "Play";
    this.play.setAttribute("aria-label", words);
    this.play.title = `${words} (Space)`;
  }

  private showTimeline(): void {
    const { frames, frame } = this.session.timeline;
    this.slider.max = String(Math.max(frames - 1, 0));
    this.slider.disabled = frames < 2;
    if (!this.scrubbing) this.slider.value = String(frame);
    this.slider.setAttribute("aria-valuetext", `frame ${frame} of ${frames}`);
  }

  private showClock(time: number, step: number): void {
    this.clock.textContent = `${time.toFixed(2)} s · step ${step}`;
  }

  private scrub(): void {
    this.scrubbing = true;
    this.session.seek(Number(this.slider.value));
  }
}

/** A button with an icon, its words as label and its key in the tooltip. */
export function button(
  picture: string,
  label: string,
  key: string,
  act: () => void,
): HTMLButtonElement {
  return make(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": label,
      "aria-keyshortcuts": key || undefined,
      title: key ? `${label} (${key})` : label,
      onclick: act,
    },
    icon(picture),
  );
}
