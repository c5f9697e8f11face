// A small server of the studio's protocol with a moving grid behind it, for work on the page and
// for tests that need no engine. It sends the same security policy as the real one.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { CATALOGUE, CONTROLS, TEXT } from "./catalog.mjs";
import { COLUMNS, frame, grid } from "./cloth.mjs";

/** A ball of radius 0.3, as an octahedron. */
const BALL = {
  shape: "solid",
  mesh: false,
  vertices: [0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3],
  triangles: [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5],
};

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mM4c+bMfwAHkwNRMnlFLQAAAABJRU5ErkJggg==";

const KEY = "mock-key";
const POLICY =
  "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function startMock(port = 0) {
  const server = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server, path: "/api/socket" });
  const heard = [];
  sockets.on("connection", (socket) => play(socket, heard));
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return {
    heard,
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}/?token=mock`,
    stop: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

async function answer(request, response) {
  const path = new URL(request.url, "http://x").pathname;
  const send = (body, type = "application/json", status = 200) => {
    response.writeHead(status, {
      "Content-Type": type,
      "Content-Security-Policy": POLICY,
      "X-Content-Type-Options": "nosniff",
    });
    response.end(type === "application/json" ? JSON.stringify(body) : body);
  };
  if (path === "/api/key") return send({ key: KEY });
  if (path.startsWith("/api/") && request.headers.authorization !== `Bearer ${KEY}`) return send("no key", "text/plain", 401);
  if (path === "/api/catalog") return send(CATALOGUE);
  if (path.startsWith("/api/thumbnail/")) return send(Buffer.from(PIXEL, "base64"), "image/png");
  if (path.startsWith("/api/scene/")) return send(TEXT, "text/plain");
  if (path.startsWith("/api/download/")) return send("data", "application/octet-stream");
  if (path === "/api/check") {
    const { text } = JSON.parse(await body(request));
    const line = text.split("\n").findIndex((each) => each.includes("broken")) + 1;
    const problem = { line, column: 1, field: "broken", message: "there is no field broken", kind: "error" };
    return send({ problems: line > 0 ? [problem] : [] });
  }
  if (path === "/api/import") {
    const { name } = JSON.parse(await body(request));
    if (name.endsWith(".obj")) return send({ text: TEXT.replace("Waving grid", name) });
    return send({ problem: `${name} is no format that is read here.` });
  }
  try {
    const file = path === "/" ? "index.html" : path.slice(1);
    send(await readFile(join(DIST, file)), TYPES[extname(file)]);
  } catch {
    send({ message: "not found" }, "application/json", 404);
  }
}

async function body(request) {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

function play(socket, heard) {
  const run = { methods: [], playing: false, step: 0, frames: 0, credit: 0, pulled: null, pins: grid().pins, exploded: false };
  const say = (message) => socket.send(JSON.stringify(message));
  const show = () => {
    run.methods.forEach((method, index) => {
      if (run.credit <= 0) return;
      run.credit -= 1;
      const frozen = method.name === "forward-euler" ? Math.min(run.step, 60) : run.step;
      socket.send(frame(index, run.step, frozen / 60, run.pulled?.run === index ? run.pulled : null));
    });
  };
  const advance = () => {
    run.step += 1;
    run.frames = Math.max(run.frames, run.step + 1);
    run.methods.forEach((method, index) => say(report(method, index, run.step)));
    if (run.step === 60 && !run.exploded) {
      const index = run.methods.findIndex(({ name }) => name === "forward-euler");
      if (index >= 0) say(explosion(index));
      run.exploded = true;
    }
    say({ is: "timeline", frames: run.frames, frame: run.step });
    show();
  };
  const timer = setInterval(() => run.playing && advance(), 33);
  socket.on("close", () => clearInterval(timer));
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    heard.push(message);
    // A change that is being built is there when the page is told to step.
    if (message.do === "step" && run.build) run.build();
    const does = {
      open: () => {
        if (message.text?.includes("broken")) {
          return say({ is: "problem", message: "there is no field broken", line: 2, field: "broken" });
        }
        run.methods = message.methods ?? [{ name: message.scene === "explosion" ? "forward-euler" : "newton", settings: {} }];
        Object.assign(run, { step: 0, frames: 1, pulled: null, exploded: false, playing: true, credit: 0 });
        say(opened(run.methods, message));
        say({ is: "playing" });
      },
      credit: () => {
        run.credit += message.frames;
        if (run.step === 0) show();
      },
      play: () => say({ is: (run.playing = true) ? "playing" : "" }),
      pause: () => say({ is: (run.playing = false) ? "" : "paused" }),
      step: () => (run.playing ? null : advance()),
      reset: () => {
        run.step = 0;
        run.exploded = false;
        say({ is: "timeline", frames: run.frames, frame: 0 });
        show();
      },
      seek: () => {
        run.playing = false;
        run.step = message.frame;
        say({ is: "paused" });
        show();
      },
      method: () => {
        run.methods[message.run] = message;
        run.exploded = false;
        if (message.restart) Object.assign(run, { step: 0, playing: true });
        say(changed(run.methods));
      },
      grab: () => (run.pulled = message),
      drag: () => (run.pulled = { ...run.pulled, at: message.at }),
      release: () => (run.pulled = null),
      pin: () => say({ is: "pins", pins: (run.pins = [...run.pins, message.particle]) }),
      unpin: () => say({ is: "pins", pins: (run.pins = run.pins.filter((pin) => pin !== message.particle)) }),
      set: () => {
        if (message.what !== "stiffness") return say(changed(run.methods));
        say({ is: "busy", run: 0, what: "building the change" });
        run.build = () => {
          say({ is: "busy", run: 0, what: null });
          say(changed(run.methods));
        };
      },
      export: () => {
        say({ is: "export", job: 1, done: 1, total: 2 });
        say({ is: "export", job: 1, done: 2, total: 2, url: "/api/download/1", name: "grid.gif" });
      },
    };
    does[message.do]?.();
  });
}

function runsOf(methods) {
  return methods.map(({ name, settings }) => ({ method: name, settings: settings ?? {}, particles: COLUMNS * COLUMNS }));
}

function changed(methods) {
  return { is: "changed", runs: runsOf(methods), controls: CONTROLS, text: TEXT, h: 1 / 60 };
}

function opened(methods, { scene, text }) {
  const entry = CATALOGUE.scenes.find(({ name }) => name === scene);
  return {
    is: "opened",
    runs: runsOf(methods),
    ...grid(),
    obstacles: scene === "ball" ? [{ ...BALL, position: [0, -0.2, 0.1], rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1] }] : [],
    camera: { eye: [1, 0.5, 2], target: [0, 0, 0], up: [0, 1, 0] },
    h: 1 / 60,
    duration: 4,
    title: entry?.title ?? "Own scene",
    text: text ?? TEXT,
    controls: CONTROLS,
  };
}

function report({ name }, run, step) {
  const time = step / 60;
  const kinetic = 0.5 + 0.5 * Math.sin(3 * time);
  const solves = !name.includes("euler");
  const seconds = { total: 0.004 + 0.001 * run, method: 0.003, assembly: 0.0006, factorization: 0.0012, solution: 0.0007, limit: 0, contact: 0.0002, rigid_bodies: 0, chains: 0, measure: 0.0008 };
  return {
    is: "report",
    run,
    step,
    time,
    energy: { kinetic, elastic: 1 - kinetic, gravitational: -0.5 * kinetic, field: 0, total: 1 - 0.5 * kinetic },
    work: {},
    numerical: -0.001 * step,
    limit: null,
    residual: solves ? 1e-9 : null,
    scale: solves ? 1 : null,
    residuals: solves ? [1, 0.1, 1e-3, 1e-6] : [],
    iterations: solves ? 4 : null,
    end: solves ? "converged" : null,
    strain: 0.03,
    seconds,
    error: 0.001 * (run + 1) * (1 + time),
  };
}

function explosion(run) {
  return {
    is: "exploded",
    run,
    step: 60,
    time: 1,
    particle: 300,
    quantity: "velocity",
    message: "The velocity of particle 300 grew beyond all bounds: the step is too long for these springs.",
    limit: { below: 0.0021 },
    h: 1 / 60,
    fixes: [
      { label: "Use newton", do: { do: "method", run, name: "newton", settings: {}, restart: true } },
      { label: "Shorten the step to 0.0019 s", do: { do: "set", what: "h", value: 0.0019 } },
    ],
  };
}
