// What streaming costs, told as one line of JSON for `cargo xtask bench studio`.

import { readdirSync, readFileSync } from "node:fs";
import WebSocket from "ws";
import { launch, newPage } from "../browser/chromium.mjs";
import { startStudio } from "../browser/studio.mjs";

const SETTLES = 3_000;
const MEASURED = 8_000;
const DRAGS = 25;
const BETWEEN_DRAGS = 300;
/** So much of the mouse's way (m) is a move that is seen. */
const SEEN = 0.004;
const FRAMES_IN_FLIGHT = 2;
const TICKS_PER_SECOND = 100;
const SIDE = 100;
const GRABBED = (SIDE - 1) * SIDE + SIDE / 2;

const SCENE = `format = 1
title = "Cloth of ${SIDE} × ${SIDE}"

[time]
step = "1/60"
duration = 4.0
fps = 30

[method]
name = "quasi-newton"
iterations = 5

[[deformables]]
grid = { columns = ${SIDE}, rows = ${SIDE}, size = [1.0, 1.0], corner = [-0.5, 0, 0], across = [1, 0, 0], down = [0, -1, 0] }
mass = 0.3
structural = { stiffness = 1000, damping = 0.05 }
shear = { stiffness = 500, damping = 0.05 }
bend = { stiffness = 10 }
drag = 0.001

[deformables.groups]
top = { box = [[-1, -0.001, -1], [1, 0.001, 1]] }

[[deformables.pins]]
group = "top"
`;

/** Waits until what is looked at hardly moves any more, or for some seconds. */
async function atRest(look, still = 0.001) {
  let before = await look();
  for (let tries = 0; tries < 40; tries += 1) {
    await sleep(100);
    const now = await look();
    if (Math.hypot(...now.map((value, axis) => value - before[axis])) < still) return;
    before = now;
  }
}

const sleep = (time) => new Promise((done) => setTimeout(done, time));

/** Opens the scene as the page does, and calls back with every frame and report. */
async function connect(studio, { onFrame, onReport }) {
  const { origin, searchParams } = new URL(studio.url);
  const exchanged = await fetch(`${origin}/api/key`, {
    method: "POST",
    headers: { "Content-Type": "application/json", origin },
    body: JSON.stringify({ token: searchParams.get("token") }),
  });
  const { key } = await exchanged.json();
  const protocols = ["hooke", `hooke.key.${key}`];
  const socket = new WebSocket(`${origin.replace("http", "ws")}/api/socket`, protocols, { headers: { origin } });
  const say = (message) => socket.send(JSON.stringify(message));
  await new Promise((done) => socket.on("open", done));
  await new Promise((done, failed) => {
    socket.on("message", (data, binary) => {
      if (binary) {
        onFrame(data);
        return say({ do: "credit", frames: 1 });
      }
      const message = JSON.parse(String(data));
      if (message.is === "problem") failed(new Error(message.message));
      if (message.is === "report") onReport(message);
      if (message.is === "opened") done();
    });
    say({ do: "open", text: SCENE });
    say({ do: "play" });
    say({ do: "credit", frames: FRAMES_IN_FLIGHT });
  });
  return { say, end: () => socket.terminate() };
}

/** Seconds of the processor so far: of the threads that simulate, and of all others. */
function cpu(pid) {
  const seconds = { simulation: 0, server: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const simulates = name === "simulation" || /^hooke-\d+$/.test(name);
    seconds[simulates ? "simulation" : "server"] += (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }
  return seconds;
}

async function measureStream(studio) {
  let frames = 0;
  let bytes = 0;
  let taken = 0;
  const steps = [];
  const reporting = [];
  const client = await connect(studio, {
    onFrame: (data) => {
      frames += 1;
      bytes = data.length;
    },
    onReport: ({ seconds, step }) => {
      steps.push(1000 * seconds.total);
      reporting.push(seconds.reporting);
      taken = step;
    },
  });
  await sleep(SETTLES);
  const began = taken;
  reporting.length = 0;
  const [before, start, clock] = [cpu(studio.pid), frames, performance.now()];
  steps.length = 0;
  await sleep(MEASURED);
  const [after, passed] = [cpu(studio.pid), (performance.now() - clock) / 1000];
  client.end();
  steps.sort((a, b) => a - b);
  // Frames and reports are made on the thread that steps: that is the server's part of it.
  const perStep = reporting.reduce((sum, seconds) => sum + seconds, 0) / Math.max(reporting.length, 1);
  const making = (perStep * (taken - began)) / passed;
  const sending = (after.server - before.server) / passed;
  return {
    framesPerSecond: (frames - start) / passed,
    making,
    sending,
    server: making + sending,
    simulation: (after.simulation - before.simulation) / passed - making,
    step: steps[Math.floor(steps.length / 2)],
    bytes,
  };
}

/** Milliseconds from the message that moves the mouse to the first frame in which its particle went. */
async function measureSocket(studio) {
  const times = [];
  let waiting = null;
  let at = null;
  const client = await connect(studio, {
    onFrame: (data) => {
      at = [0, 1, 2].map((axis) => data.readFloatLE(16 + 4 * (3 * GRABBED + axis)));
      if (waiting && waiting.way * (at[2] - waiting.from) > SEEN) {
        times.push(performance.now() - waiting.since);
        waiting = null;
      }
    },
    onReport: () => {},
  });
  await sleep(SETTLES);
  const [x, y, z] = at;
  client.say({ do: "grab", particle: GRABBED, at: [x, y, z] });
  for (let drag = 0; drag < DRAGS; drag += 1) {
    await atRest(async () => at);
    await sleep(7 * drag);
    const way = drag % 2 === 0 ? 1 : -1;
    waiting = { since: performance.now(), from: at[2], way };
    client.say({ do: "drag", at: [x, y, z + 0.3 * way] });
  }
  await sleep(BETWEEN_DRAGS);
  client.end();
  return times;
}

function positionOfGrabbed() {
  const { x, y } = window.studio.screenPosition(0, window.studio.grabbed.particle);
  return [x, y];
}

/** A browser without a graphics card that shows the cloth, until it hangs. */
async function withPage(studio, measure) {
  const browser = await launch();
  try {
    const page = await newPage(browser, { width: 1000, height: 640 });
    await page.goto(studio.url);
    await page.waitForFunction(() => window.studio?.frames > 1);
    await page.locator("#tab-editor").click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(SCENE);
    const before = await page.evaluate(() => window.studio.opened);
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction((count) => window.studio.opened > count, before);
    await page.locator("#tab-gallery").click();
    await page.waitForFunction(() => window.studio.run(0)?.time > 2, null, { timeout: 120_000 });
    return await measure(page);
  } finally {
    await browser.close();
  }
}

/** Frames a second that a page takes, and milliseconds of its script for each: with pictures, and without. */
async function measureRates(studio) {
  return withPage(studio, async (page) => {
    const rates = {};
    for (const [name, blind] of [["drawn", false], ["taken", true]]) {
      await page.evaluate((on) => window.studio.blind(on), blind);
      await sleep(1_000);
      const look = () => page.evaluate(() => ({ frames: window.studio.frames, now: performance.now(), ...window.studio.spent }));
      const first = await look();
      await sleep(MEASURED);
      const last = await look();
      const frames = Math.max(last.frames - first.frames, 1);
      rates[name] = {
        framesPerSecond: (1000 * frames) / (last.now - first.now),
        taking: (last.taking - first.taking) / frames,
        drawing: (last.drawing - first.drawing) / frames,
      };
    }
    return rates;
  });
}

/** The same from the mouse to the picture. */
async function measurePage(studio) {
  return withPage(studio, async (page) => {
    const place = await page.evaluate((grabbed) => window.studio.screenPosition(0, grabbed), GRABBED - 20 * SIDE);
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    await page.waitForFunction(() => window.studio.grabbed);
    const times = [];
    for (let drag = 0; drag < DRAGS; drag += 1) {
      await atRest(() => page.evaluate(positionOfGrabbed), 0.5);
      await sleep(7 * drag);
      const way = drag % 2 === 0 ? 1 : -1;
      const seen = page.evaluate(
        (sign) =>
          new Promise((done) => {
            const { particle } = window.studio.grabbed;
            const from = window.studio.screenPosition(0, particle);
            let since = null;
            addEventListener("pointermove", () => (since = performance.now()), { once: true, capture: true });
            const look = () => {
              const now = window.studio.screenPosition(0, particle);
              if (since !== null && sign * (now.x - from.x) > 2) done(performance.now() - since);
              else requestAnimationFrame(look);
            };
            look();
          }),
        way,
      );
      await page.mouse.move(place.x + 90 * way, place.y - 40);
      times.push(await Promise.race([seen, sleep(5_000).then(() => null)]));
    }
    await page.mouse.up();
    return times.filter((time) => time !== null);
  });
}

const result = {};
for (const [name, measure] of [
  ["stream", measureStream],
  ["socket", measureSocket],
  ["rates", measureRates],
  ["page", measurePage],
]) {
  const studio = await startStudio("--port", "0");
  try {
    result[name] = await measure(studio);
  } finally {
    await studio.stop();
  }
}
console.log(JSON.stringify(result));
