// What the page knows of the running simulation, and everything it can ask of it.

import { Connection, type ConnectionState } from "./connection";
import { Events } from "./events";
import { History } from "./history";
import type {
  Amount,
  Catalog,
  Changed,
  Exploded,
  ExportProgress,
  Frame,
  Message,
  MethodChoice,
  Opened,
  Problem,
  Report,
  Settings,
  Vector,
} from "./protocol";

/** One run of the open scene. */
export interface Run {
  /** The method for particles; null for a scene of rigid bodies alone. */
  method: string | null;
  settings: Settings;
  particles: number;
  history: History;
  exploded: Exploded | null;
  busy: string | null;
  positions: Float32Array;
  time: number;
}

interface SessionEvents {
  connection: ConnectionState;
  opened: Opened;
  frame: Frame;
  report: Report;
  exploded: Exploded;
  recovered: number;
  problem: Problem;
  playing: boolean;
  timeline: { frames: number; frame: number };
  speed: number;
  busy: { run: number; what: string | null };
  pins: Set<number>;
  method: number;
  changed: Changed;
  reference: boolean;
  export: ExportProgress;
}

interface WhatToOpen {
  scene?: string;
  text?: string;
  methods?: MethodChoice[];
}

const FRAMES_IN_FLIGHT = 2;

/** What the file of the command line is called among the scenes. */
export const FILE = "@";

export class Session extends Events<SessionEvents> {
  readonly connection = new Connection();
  catalog: Catalog = { scenes: [], methods: [], materials: [], formats: [], version: "" };
  opened: Opened | null = null;
  /** The gallery name of what is open; null for a text of one's own. */
  sceneName: string | null = null;
  /** Whether what is open came from the file of the command line: it is saved there. */
  ofFile = false;
  runs: Run[] = [];
  pins = new Set<number>();
  playing = false;
  speed = 1;
  timeline = { frames: 0, frame: 0 };
  reference = false;
  /** What was opened last, to open it again after the server was restarted. */
  private wanted: WhatToOpen | null = null;
  /** What was asked for and is not yet open: it may be refused. */
  private asked: WhatToOpen | null = null;
  private askedOfFile = false;

  constructor() {
    super();
    this.connection.on("message", (message) => this.receive(message));
    this.connection.on("frame", (frame) => this.receiveFrame(frame));
    this.connection.on("state", (state) => {
      this.emit("connection", state);
      if (state === "open" && this.wanted) this.reopen(this.wanted, this.playing);
    });
  }

  /** Opens a scene and, as nobody opens one to see it stand, plays it. */
  open(what: WhatToOpen, play = true): void {
    this.askedOfFile = what.scene === FILE;
    this.asked = what;
    this.send({ do: "open", ...what });
    if (play) this.play();
  }

  /** The same scene from its start by other methods. */
  openAgain(methods: MethodChoice[]): void {
    if (this.wanted) this.reopen({ ...this.wanted, methods });
  }

  /** What is open, with its text changed by hand. */
  openText(text: string): void {
    this.reopen({ text });
  }

  private reopen(what: WhatToOpen, play = true): void {
    const { ofFile } = this;
    this.open(what, play);
    this.askedOfFile = ofFile;
  }

  play(): void {
    this.send({ do: "play" });
  }
  pause(): void {
    this.send({ do: "pause" });
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  step(): void {
    this.send({ do: "step" });
  }
  reset(): void {
    for (const [index, run] of this.runs.entries()) {
      run.history.clear();
      this.recover(index);
    }
    this.send({ do: "reset" });
  }
  setSpeed(factor: number): void {
    this.speed = factor;
    this.send({ do: "speed", factor });
    this.emit("speed", factor);
  }
  seek(frame: number): void {
    this.send({ do: "seek", frame });
  }
  set(what: string, value: Amount): void {
    this.send({ do: "set", what, value });
  }
  chooseMethod(run: number, name: string, settings: Settings): void {
    this.runs[run].method = name;
    this.runs[run].settings = settings;
    this.recover(run);
    this.send({ do: "method", run, name, settings });
    this.emit("method", run);
  }
  grab(run: number, particle: number, at: Vector): void {
    this.send({ do: "grab", run, particle, at });
  }
  drag(at: Vector): void {
    this.send({ do: "drag", at });
  }
  release(): void {
    this.send({ do: "release" });
  }
  /** Pins a free particle where it is, or releases a pinned one. */
  togglePin(run: number, particle: number): void {
    this.send({ do: this.pins.has(particle) ? "unpin" : "pin", run, particle });
  }
  /** Adds an attractor, moves it, or removes it. */
  moveAttractor(at: Vector | null): void {
    this.send({ do: "attractor", at });
  }
  measureError(on: boolean): void {
    this.reference = on;
    for (const run of this.runs.keys()) this.send({ do: "reference", run, on });
    this.emit("reference", on);
  }
  /** Sends what an explosion's card offers, as the server wrote it. */
  applyFix(run: number, fix: object | object[]): void {
    this.runs[run].history.clear();
    this.recover(run);
    for (const message of Array.isArray(fix) ? fix : [fix]) this.send(message);
  }
  /** Makes a file of what was seen; progress comes as events. */
  startExport(kind: string): void {
    this.send({ do: "export", kind, run: 0 });
  }
  /** A frame was drawn: the server may send another. */
  credit(frames: number): void {
    this.send({ do: "credit", frames });
  }

  private send(message: object): void {
    this.connection.send(message);
  }

  private recover(index: number): void {
    if (!this.runs[index].exploded) return;
    this.runs[index].exploded = null;
    this.emit("recovered", index);
  }

  private receiveFrame(frame: Frame): void {
    const run = this.runs[frame.run];
    if (!run) return;
    run.positions = frame.positions;
    run.time = frame.time;
    this.emit("frame", frame);
  }

  private receive(message: Message): void {
    switch (message.is) {
      case "opened":
        return this.becomeOpened(message);
      case "report":
        if (!this.runs[message.run]) return;
        this.runs[message.run].history.add(message);
        return this.emit("report", message);
      case "exploded":
        if (!this.runs[message.run]) return;
        this.runs[message.run].exploded = message;
        return this.emit("exploded", message);
      case "timeline":
        this.timeline = message;
        return this.emit("timeline", message);
      case "playing":
      case "paused":
        this.playing = message.is === "playing";
        return this.emit("playing", this.playing);
      case "busy":
        if (this.runs[message.run]) this.runs[message.run].busy = message.what;
        return this.emit("busy", message);
      case "pins":
        this.pins = new Set(message.pins);
        return this.emit("pins", this.pins);
      case "changed":
        return this.becomeChanged(message);
      case "problem":
        return this.emit("problem", message);
      case "export":
        return this.emit("export", message);
    }
  }

  private becomeChanged(changed: Changed): void {
    for (const [index, { method, settings }] of changed.runs.entries()) {
      const run = this.runs[index];
      if (run) Object.assign(run, { method, settings });
    }
    const methods = changed.runs.flatMap(({ method, settings }) => (method === null ? [] : [{ name: method, settings }]));
    this.wanted = { ...this.wanted, text: changed.text, methods };
    this.emit("changed", changed);
  }

  private becomeOpened(opened: Opened): void {
    if (this.asked) {
      this.wanted = this.asked;
      this.sceneName = this.asked.scene ?? null;
      this.ofFile = this.askedOfFile;
      this.asked = null;
    }
    this.opened = opened;
    this.runs = opened.runs.map((run) => ({
      ...run,
      history: new History(),
      exploded: null,
      busy: null,
      positions: new Float32Array(0),
      time: 0,
    }));
    this.pins = new Set(opened.pins);
    this.timeline = { frames: 0, frame: 0 };
    this.emit("opened", opened);
    if (this.reference) this.measureError(true);
    if (this.speed !== 1) this.setSpeed(this.speed);
    this.credit(FRAMES_IN_FLIGHT * this.runs.length);
  }
}
