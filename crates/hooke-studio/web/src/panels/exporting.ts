// Save what was simulated: pictures, films and data, with progress and the download at its end.

import { download } from "../api";
import { make } from "../dom";
import type { ExportProgress } from "../protocol";
import type { Session } from "../session";
import { openDialog } from "./dialog";

interface Kind {
  kind: string;
  title: string;
  doc: string;
}

const KINDS: Kind[] = [
  { kind: "png", title: "Picture", doc: "PNG of the current frame, by the renderer of Hooke" },
  { kind: "gif", title: "Animation", doc: "GIF of the simulation so far" },
  { kind: "recording", title: "Recording", doc: "every frame in full precision, for hooke render and export" },
];

export class Exporting {
  /** Lines whose job has no number yet, oldest first, and lines by job. */
  private waiting: HTMLElement[] = [];
  private readonly lines = new Map<number, HTMLElement>();
  /** The addresses of files that were fetched, which hold them in memory. */
  private addresses: string[] = [];

  constructor(private readonly session: Session) {
    session.on("export", (progress) => this.show(progress));
    session.on("problem", ({ job, message }) => {
      const line = job === undefined ? this.waiting.shift() : this.lines.get(job);
      line?.replaceChildren(message);
    });
  }

  open(): void {
    this.session.pause();
    this.waiting = [];
    this.lines.clear();
    for (const address of this.addresses.splice(0)) URL.revokeObjectURL(address);
    const formats = this.session.catalog.formats.map(({ name, title, doc }) => ({ kind: name, title, doc }));
    openDialog(
      "Export",
      "export",
      make("div", { class: "choices" }, ...[...KINDS, ...formats].map((each) => this.choice(each))),
    );
  }

  private choice({ kind, title, doc }: Kind): HTMLElement {
    const line = make("div", { class: "progress", role: "status" });
    const start = make("button", {
      type: "button",
      text: "Export",
      "aria-label": `Export ${title}`,
      onclick: () => this.start(kind, line),
    });
    return make(
      "div",
      { class: "choice" },
      make("strong", { text: title }),
      make("span", { text: doc }),
      start,
      line,
    );
  }

  private start(kind: string, line: HTMLElement): void {
    line.replaceChildren("Starting…");
    this.waiting.push(line);
    this.session.startExport(kind);
  }

  private show({ job, done, total, url, name }: ExportProgress): void {
    const line = this.lines.get(job) ?? this.waiting.shift();
    if (!line) return;
    this.lines.set(job, line);
    if (!url) {
      const bar = make("progress", { max: Math.max(total, 1), value: done, "aria-label": "Progress" });
      return line.replaceChildren(bar, ` ${done} of ${total}`);
    }
    void this.offer(line, url, name ?? "");
  }

  /** Fetches a file, as a link cannot show the key, and offers it. */
  private async offer(line: HTMLElement, url: string, name: string): Promise<void> {
    try {
      const address = URL.createObjectURL(await download(url));
      this.addresses.push(address);
      const link = make("a", { href: address, download: name, text: "Download" });
      line.replaceChildren(link);
      link.click();
    } catch (error) {
      line.replaceChildren((error as Error).message);
    }
  }
}
