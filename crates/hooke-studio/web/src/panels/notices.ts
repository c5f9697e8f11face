// Short messages over the viewport: what went wrong, in the server's sentence.

import { make } from "../dom";
import { button } from "./transport";

const SHOWN_FOR = 9000;

export class Notices {
  constructor(private readonly holder: HTMLElement) {}

  say(words: string, kind: "error" | "info" = "info"): void {
    const notice = make("div", { class: `notice ${kind}` }, make("span", { text: words }));
    notice.append(button("close", "Dismiss", "", () => notice.remove()));
    this.holder.replaceChildren(notice);
    setTimeout(() => notice.remove(), SHOWN_FOR);
  }
}
