// A file dropped on the page, or chosen, becomes a scene.

import { importFile } from "../api";
import { make } from "../dom";
import type { Session } from "../session";
import type { Notices } from "./notices";

export class Files {
  private depth = 0;

  constructor(
    private readonly session: Session,
    private readonly notices: Notices,
    private readonly target: HTMLElement,
  ) {
    addEventListener("dragenter", (event) => this.hover(event, 1));
    addEventListener("dragleave", (event) => this.hover(event, -1));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.depth = 0;
      target.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (file) void this.take(file);
    });
  }

  choose(): void {
    const input = make("input", {
      type: "file",
      accept: ".toml,.json,.obj,.ply,.stl,.gltf,.glb",
      onchange: () => {
        const file = input.files?.[0];
        if (file) void this.take(file);
      },
    });
    input.click();
  }

  private hover(event: DragEvent, change: number): void {
    event.preventDefault();
    this.depth += change;
    this.target.hidden = this.depth <= 0;
  }

  private async take(file: File): Promise<void> {
    try {
      const { text, problem } = await importFile(file.name, await base64(file));
      if (text) this.session.open({ text });
      else this.notices.say(problem ?? `${file.name} could not be read.`, "error");
    } catch (error) {
      this.notices.say((error as Error).message, "error");
    }
  }
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}
