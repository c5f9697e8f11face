// The help sheet: every key and every gesture on one page.

import { make } from "../dom";
import { openDialog } from "./dialog";

const MOUSE = [
  ["Drag a particle", "pull it with a spring to the mouse"],
  ["Double-click a particle", "pin or unpin it"],
  ["With the attractor tool", "drag to attract all particles, double-click to end it"],
  ["Drag beside it", "rotate the view (with Alt, anywhere)"],
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
        make("h3", { text: "How to read the plots" }),
        make("p", {
          text: "Choose a scene, press Space and watch the plots below. If the 'unexplained' energy falls, the method damps the motion without a physical cause; if it keeps rising, the run will explode. A residual that stays high means an unconverged step. 'Measure' compares each step with a converged one.",
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
