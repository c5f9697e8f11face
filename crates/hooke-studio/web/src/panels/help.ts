// The help sheet: every key and every gesture on one page.

import { make } from "../dom";
import { openDialog } from "./dialog";

const MOUSE = [
  ["Drag a particle", "pull it: a spring follows the mouse"],
  ["Double-click a particle", "pin it, or let it go"],
  ["With the attractor tool", "drag pulls everything there, double-click ends it"],
  ["Drag beside it", "turn the view (anywhere with Alt held)"],
  ["Right-drag", "move the view"],
  ["Wheel", "zoom"],
  ["Drop a file", "open a scene, OBJ, PLY, STL, glTF or GLB"],
];

export interface Shortcut {
  keys: string;
  does: string;
  act: () => void;
}

export function openHelp(shortcuts: Shortcut[]): void {
  const row = ([what, does]: string[], key: boolean) => [
    make("dt", {}, key ? make("kbd", { text: what }) : what),
    make("dd", { text: does }),
  ];
  openDialog(
    "Help",
    "help",
    make(
      "div",
      { class: "help-columns" },
      make(
        "section",
        {},
        make("h3", { text: "Mouse" }),
        make("dl", {}, ...MOUSE.flatMap((line) => row(line, false))),
        make("h3", { text: "What the plots tell" }),
        make("p", {
          text: "Pick a scene, press Space and look below. If 'unexplained' energy falls, the method damps motion that no force damps; if it rises, it will explode. A residual that stops high was not solved. 'Measure' compares with a converged run.",
        }),
      ),
      make(
        "section",
        {},
        make("h3", { text: "Keys" }),
        make("dl", {}, ...shortcuts.flatMap(({ keys, does }) => row([keys, does], true))),
      ),
    ),
  );
}
