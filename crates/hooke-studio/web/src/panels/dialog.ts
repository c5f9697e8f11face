// A modal sheet: closes by its button, by Escape and by a click beside it.

import { make } from "../dom";
import { button } from "./transport";

export function openDialog(title: string, kind: string, ...content: Node[]): HTMLDialogElement {
  const heading = make("h2", { text: title });
  const dialog = make("dialog", { class: `sheet ${kind}`, "aria-label": title });
  const close = button("close", "Close", "", () => dialog.close());
  dialog.append(make("header", {}, heading, close), ...content);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
