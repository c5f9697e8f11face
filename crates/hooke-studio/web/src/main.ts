// The page: puts its parts together and names every key.

import { catalog } from "./api";
import { byId, isTyping, make } from "./dom";
import { icon } from "./icons";
import { openCompare } from "./panels/compare";
import { Controls } from "./panels/controls";
import { Files } from "./panels/drop";
import { Editor } from "./panels/editor";
import { Explosions } from "./panels/explosions";
import { Exporting } from "./panels/exporting";
import { Gallery } from "./panels/gallery";
import { openHelp, type Shortcut } from "./panels/help";
import { Labels } from "./panels/labels";
import { Notices } from "./panels/notices";
import { Plots } from "./panels/plots";
import { Tools, TOGGLES } from "./panels/tools";
import { button, Transport } from "./panels/transport";
import { Session } from "./session";
import "./style/theme.css";
import "./style/elements.css";
import "./style/page.css";
import "./style/gallery.css";
import "./style/stage.css";
import "./style/plots.css";
import "./style/controls.css";
import "./style/sheets.css";
import "./style/narrow.css";
import { Theme } from "./theme";
import { Pointer } from "./view/pointer";
import { Viewport } from "./view/viewport";

let opened = 0;
const session = new Session();
const theme = new Theme();
const viewport = new Viewport(byId("view"), {
  surface: true,
  wire: false,
  springs: false,
  strain: false,
  particles: false,
  velocity: false,
  pins: true,
  shadow: true,
  ground: true,
});
const pointer = new Pointer(session, viewport);
const gallery = new Gallery(session, byId("gallery"));
const notices = new Notices(byId("notices"));
const plots = new Plots(session, byId("plots"));
const tools = new Tools(session, viewport, pointer, byId("tools"), byId("legend"));
const labels = new Labels(session, viewport, byId("labels"));
const explosions = new Explosions(session, viewport, byId("cards"));
const exporting = new Exporting(session);
const files = new Files(session, notices, byId("drop"));
const editor = new Editor(session, notices, byId("editor"));
new Controls(session, byId("controls"));
new Transport(session, byId("transport"));

const shortcuts: Shortcut[] = [
  { keys: "Space", does: "play or pause", act: () => session.toggle() },
  { keys: ".", does: "one step", act: () => session.step() },
  { keys: "R", does: "back to the start", act: () => session.reset() },
  { keys: "F", does: "show all", act: () => viewport.frameAll() },
  { keys: "G", does: "the mouse pulls particles", act: () => tools.choose("grab") },
  { keys: "A", does: "the mouse moves the attractor", act: () => tools.choose("attractor") },
  ...TOGGLES.map(({ part, label, key }) => ({
    keys: key,
    does: label.toLowerCase(),
    act: () => tools.toggle(part),
  })),
  { keys: "C", does: "compare methods", act: () => openCompare(session) },
  { keys: "O", does: "overlay the runs, or side by side", act: () => tools.swapLayout() },
  { keys: "E", does: "gallery or scene text", act: () => showLeft(editorShown() ? "gallery" : "editor") },
  { keys: "X", does: "export", act: () => exporting.open() },
  { keys: "T", does: "light or dark", act: () => theme.toggle() },
  { keys: "?", does: "this sheet", act: () => openHelp(shortcuts) },
];

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target === viewport.canvas && steer(event.key)) return event.preventDefault();
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  // A focused button or box is pressed by Space; it must not start time as well.
  const pressed = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
  if (key === "Space" && pressed) return;
  const shortcut = shortcuts.find(({ keys }) => keys === key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.act();
});

// After a click by mouse the keys belong to the simulation again, not to the button.
addEventListener("click", (event) => {
  const pressed = event.target instanceof Element && event.target.closest("button");
  if (pressed && event.detail > 0 && !pressed.closest("dialog")) pressed.blur();
});

/** The arrow keys rotate the view, plus and minus zoom. */
function steer(key: string): boolean {
  const rotations: Record<string, [number, number]> = {
    ArrowLeft: [-0.1, 0],
    ArrowRight: [0.1, 0],
    ArrowUp: [0, 0.1],
    ArrowDown: [0, -0.1],
  };
  if (rotations[key]) viewport.eye.rotate(...rotations[key]);
  else if (key === "+" || key === "=") viewport.eye.zoom(0.9);
  else if (key === "-") viewport.eye.zoom(1 / 0.9);
  else return false;
  return true;
}

// The left side: gallery and scene text as tabs.
const tabs = (["gallery", "editor"] as const).map((name) =>
  make(
    "button",
    { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name, onclick: () => showLeft(name) },
    icon(name === "gallery" ? "gallery" : "text"),
    name === "gallery" ? "Gallery" : "Scene text",
  ),
);
byId("left-tabs").append(...tabs);
byId("left-tabs").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const name = editorShown() ? "gallery" : "editor";
  showLeft(name);
  byId(`tab-${name}`).focus();
});

function editorShown(): boolean {
  return !byId("editor").hidden;
}

function showLeft(name: "gallery" | "editor"): void {
  byId("gallery").hidden = name !== "gallery";
  byId("editor").hidden = name !== "editor";
  document.body.classList.toggle("editing", name === "editor");
  for (const tab of tabs) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
  if (name === "editor") editor.focus();
}
showLeft("gallery");

// The top bar.
const themeButton = button("dark", "Light or dark", "T", () => theme.toggle());
byId("actions").append(
  wordy("open", "Open file", "", () => files.choose()),
  wordy("compare", "Compare", "C", () => openCompare(session)),
  wordy("download", "Export", "X", () => exporting.open()),
  themeButton,
  button("help", "Help and keys", "?", () => openHelp(shortcuts)),
);

function wordy(picture: string, words: string, key: string, act: () => void): HTMLButtonElement {
  const made = button(picture, words, key, act);
  made.classList.add("wordy");
  made.append(words);
  return made;
}

theme.onChange((dark) => {
  themeButton.replaceChildren(icon(dark ? "light" : "dark"));
  viewport.setDark(dark);
  plots.repaint();
});

viewport.onDrawn = (frames) => session.credit(frames);
viewport.onLayout = () => {
  labels.update();
  explosions.update();
};

session.on("opened", (message) => {
  opened += 1;
  viewport.open(message);
  const entry = session.catalog.scenes.find(({ name }) => name === session.sceneName);
  byId("title").replaceChildren(
    make("strong", { text: message.title }),
    make("span", { text: entry?.doc ?? "" }),
  );
  byId("title").title = entry?.doc ?? message.title;
  document.title = `${message.title} · Hooke studio`;
});
session.on("frame", (frame) => viewport.receive(frame));
session.on("pins", (pins) => viewport.setPins(pins));
session.on("report", ({ run, obstacles, attractors }) => {
  if (run !== 0) return;
  if (obstacles) viewport.moveObstacles(obstacles);
  if (attractors) viewport.showAttractors(attractors);
});
session.on("problem", ({ message, line }) => notices.say(line ? `Line ${line}: ${message}` : message, "error"));
session.on("connection", (state) => {
  const banner = byId("connection");
  const words = {
    connecting: "",
    open: "",
    lost: "The server does not answer. The page reconnects when the server is started again.",
    refused:
      session.connection.refusal ??
      "This tab has no key. Open the last address that hooke studio printed, here or in another tab; this page then continues.",
  };
  banner.textContent = words[state];
  banner.hidden = words[state] === "";
  if (state === "open") void start();
});

/** Asks what there is, and opens the first scene where none is open yet. */
async function start(): Promise<void> {
  session.catalog = await catalog();
  gallery.fill();
  if (session.opened) return;
  if (session.catalog.schema) editor.learn(session.catalog.schema);
  const first = session.catalog.session?.scene ?? session.catalog.scenes[0];
  if (first) session.open({ scene: first.name });
}

void session.connection.start();

// Read by tests, and by people who wonder.
Object.assign(window, {
  studio: {
    get frames() {
      return viewport.frames;
    },
    get framesPerSecond() {
      return viewport.framesPerSecond;
    },
    get state() {
      const { playing, timeline, sceneName, reference, connection } = session;
      return { playing, timeline, scene: sceneName, reference, connection: connection.state };
    },
    run: (index: number) => {
      const run = session.runs[index];
      if (!run) return null;
      const { history, ...rest } = run;
      return { ...rest, report: history.last };
    },
    /** What the script spends its time on (ms). */
    get spent() {
      return { ...viewport.spent };
    },
    /** Takes frames without drawing them, from now on or no longer. */
    blind: (on: boolean) => {
      viewport.blind = on;
    },
    /** How many scenes were opened. */
    get opened() {
      return opened;
    },
    get grabbed() {
      return pointer.grabbed;
    },
    get pins() {
      return [...session.pins];
    },
    get runs() {
      return session.runs.length;
    },
    /** Whether the picture stands still and is drawn finely. */
    get resting() {
      return viewport.resting;
    },
    get plots() {
      return plots.drawn;
    },
    picture: () => viewport.picture(),
    /** Where a particle is drawn (CSS pixels of the page). */
    screenPosition: (run: number, particle: number) => viewport.screenPosition(run, particle),
  },
});
