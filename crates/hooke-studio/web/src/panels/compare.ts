// The sheet that chooses which methods run the scene: one, or two to four beside each other.

import { make } from "../dom";
import type { MethodChoice } from "../protocol";
import type { Session } from "../session";
import { openDialog } from "./dialog";

const MOST = 4;

export function openCompare(session: Session): void {
  if (session.runs.some((run) => run.method === null)) {
    const text = "The scene has rigid bodies alone: there is no method for particles to compare.";
    openDialog("Compare methods", "compare", make("p", { text }));
    return;
  }
  const boxes = session.catalog.methods.map((method) =>
    make("input", {
      type: "checkbox",
      value: method.name,
      checked: session.runs.some((run) => run.method === method.name),
      onchange: () => limit(),
    }),
  );
  const list = session.catalog.methods.map((method, index) =>
    make(
      "label",
      { class: "choice" },
      boxes[index],
      make("strong", { text: method.name }),
      make("span", { text: method.doc }),
    ),
  );
  const go = make("button", { type: "button", class: "primary", onclick: () => run() });
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const limit = () => {
    const count = chosen().length;
    for (const box of boxes) box.disabled = !box.checked && count >= MOST;
    go.disabled = count === 0;
    go.textContent = count > 1 ? `Compare ${count} methods` : "Run one method";
  };
  const run = () => {
    const methods: MethodChoice[] = chosen().map((name) => ({
      name,
      settings: session.runs.find((each) => each.method === name)?.settings ?? {},
    }));
    session.openAgain(methods);
    dialog.close();
  };
  const dialog = openDialog(
    "Compare methods",
    "compare",
    make("p", {
      text: "Run the same scene with two to four methods side by side. Tick 'measure' below the view to plot the error of each method against its milliseconds.",
    }),
    make("div", { class: "choices" }, ...list),
    make("footer", {}, go),
  );
  limit();
}
