// The page in a real browser with the mock behind it: what it says to the server, what it makes of
// the answers, and whether everybody can use it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMock } from "../mock/server.mjs";
import { findChromium, launch, newPage } from "./chromium.mjs";

const missing = !findChromium() ? "no chromium" : false;
const LONG = 60_000;

let browser;
let mock;
let page;

before(async () => {
  if (missing) return;
  browser = await launch();
  mock = await startMock();
  page = await newPage(browser, { width: 1100, height: 700 });
  page.setDefaultTimeout(LONG);
  await page.goto(mock.url);
  await page.waitForFunction(() => window.studio?.frames > 1);
});

after(async () => {
  await browser?.close();
  await mock?.stop();
});

const it = (name, run) => test(name, { skip: missing, timeout: 5 * LONG }, run);

const said = (what) => mock.heard.filter((message) => message.do === what);

async function hear(what, since = 0) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = said(what);
    if (found.length > since) return found.at(-1);
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the page never said ${what}`);
}

async function open(scene) {
  const before = await page.evaluate(() => window.studio.opened);
  await page.click(`.card[data-scene="${scene}"]`);
  await page.waitForFunction((count) => window.studio.opened > count, before);
  await page.waitForFunction(() => window.studio.run(0).report?.step > 2 && window.studio.run(0).positions.length > 0);
}

it("the first scene is opened and played", () => {
  assert.equal(said("open")[0].scene, "waving-grid");
  assert.ok(said("play").length > 0);
});

it("credit is given for what was drawn, and no more", async () => {
  const granted = said("credit").reduce((sum, { frames }) => sum + frames, 0);
  const drawn = await page.evaluate(() => window.studio.frames);
  assert.ok(granted >= 2 && granted <= drawn + 2 + 2, `${granted} for ${drawn}`);
});

it("pulling a particle says which, where to, and when it ends", async () => {
  await open("waving-grid");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.studio.state.playing);
  const place = await page.evaluate(() => window.studio.screenPosition(0, 300));
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x + 50, place.y - 30, { steps: 3 });
  const { at: to } = await hear("drag");
  await page.mouse.up();
  await hear("release");
  const { particle, at, run } = said("grab").at(-1);
  assert.equal(run, 0);
  assert.ok([300, 299, 301, 276, 324, 275, 277, 323, 325].includes(particle), `grabbed ${particle}`);
  assert.ok(to[1] > at[1], "up is up");
});

it("a double click pins, and another lets go", async () => {
  const place = await page.evaluate(() => window.studio.screenPosition(0, 310));
  await page.mouse.dblclick(place.x, place.y);
  const { particle } = await hear("pin");
  await page.waitForFunction((pin) => window.studio.pins.includes(pin), particle);
  await page.mouse.dblclick(place.x, place.y);
  assert.equal((await hear("unpin")).particle, particle);
  await page.waitForFunction((pin) => !window.studio.pins.includes(pin), particle);
});

it("beside the cloth the mouse turns the view", async () => {
  const grabs = said("grab").length;
  const before = await page.evaluate(() => window.studio.screenPosition(0, 0));
  const corner = await page.locator(".canvas").boundingBox();
  await page.mouse.move(corner.x + 30, corner.y + corner.height - 30);
  await page.mouse.down();
  await page.mouse.move(corner.x + 90, corner.y + corner.height - 30, { steps: 3 });
  await page.mouse.up();
  const turned = await page.evaluate(() => window.studio.screenPosition(0, 0));
  assert.ok(Math.hypot(before.x - turned.x, before.y - turned.y) > 1);
  assert.equal(said("grab").length, grabs);
});

it("a fix is sent as the server wrote it", async () => {
  await open("explosion");
  await page.locator(".explosion button").first().click();
  const message = await hear("method");
  assert.deepEqual(message, { do: "method", run: 0, name: "newton", settings: {}, restart: true });
  await page.locator(".explosion").waitFor({ state: "detached" });
});

it("settings and the world are sent as they are changed", async () => {
  await open("waving-grid");
  await page.getByRole("textbox", { name: "iterations" }).fill("7");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.studio.run(0).settings.iterations === 7);
  assert.deepEqual((await hear("method", 1)).settings, { iterations: 7 });
  await page.getByRole("textbox", { name: "step h" }).fill("1/120");
  await page.keyboard.press("Enter");
  assert.deepEqual(await hear("set"), { do: "set", what: "h", value: 1 / 120 });
});

it("while a change is being built the page draws, turns and says so", async () => {
  await open("waving-grid");
  await page.getByRole("textbox", { name: "stiffness" }).fill("3");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.studio.run(0).busy === "building the change");
  const { frames, step } = await page.evaluate(() => ({ frames: window.studio.frames, step: window.studio.run(0).report.step }));
  await page.waitForFunction((before) => window.studio.frames > before.frames + 2 && window.studio.run(0).report.step > before.step, { frames, step });
  assert.equal(await page.locator(".verdict").textContent(), "building the change");
  await page.locator(".canvas").focus();
  const before = await page.evaluate(() => window.studio.screenPosition(0, 0));
  await page.keyboard.press("ArrowLeft");
  const turned = await page.evaluate(() => window.studio.screenPosition(0, 0));
  assert.ok(Math.hypot(before.x - turned.x, before.y - turned.y) > 1);
  assert.equal(await page.evaluate(() => window.studio.run(0).busy), "building the change");
  await page.click('[aria-label="One step"]');
  await page.waitForFunction(() => window.studio.run(0).busy === null);
});

it("a refused scene leaves what is open, and is marked at its line", async () => {
  const opened = await page.evaluate(() => window.studio.opened);
  await page.click("#tab-editor");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("broken = 1\n");
  await page.locator(".cm-lint-marker-error").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".notice.error").waitFor();
  assert.equal(await page.evaluate(() => window.studio.opened), opened);
  await page.click("#tab-gallery");
});

it("everything has a name and can be reached by keys", async () => {
  const nameless = await page.$$eval("button, input, select, .canvas", (all) =>
    all
      .filter((each) => each.offsetParent !== null)
      .filter((each) => {
        const ids = each.getAttribute("aria-labeledby");
        const labeled = ids && document.getElementById(ids)?.textContent;
        return !(labeled || each.getAttribute("aria-label") || each.closest("label") || each.textContent.trim());
      })
      .map((each) => each.outerHTML),
  );
  assert.deepEqual(nameless, []);
  await page.locator(".canvas").focus();
  const before = await page.evaluate(() => window.studio.screenPosition(0, 0));
  await page.keyboard.press("ArrowLeft");
  const turned = await page.evaluate(() => window.studio.screenPosition(0, 0));
  assert.ok(Math.hypot(before.x - turned.x, before.y - turned.y) > 1);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "One step" }).focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "timeline");
});

it("text has enough contrast in both themes", async () => {
  for (let theme = 0; theme < 2; theme += 1) {
    const ratios = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const short = style.getPropertyValue(name).trim();
        const hex = short.length === 4 ? short.replace(/[0-9a-f]/gi, "$&$&") : short;
        const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
        const linear = [r, g, b].map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
      };
      const pairs = [
        ["--text", "--panel"], ["--muted", "--panel"], ["--muted", "--field"], ["--muted", "--raised"],
        ["--on-accent", "--accent"], ["--good", "--good-back"], ["--poor", "--poor-back"],
        ["--code-string", "--panel"], ["--code-number", "--panel"], ["--code-name", "--panel"],
      ];
      return pairs.map(([a, b]) => {
        const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
        return { pair: `${a} on ${b}`, ratio: (high + 0.05) / (low + 0.05) };
      });
    });
    for (const { pair, ratio } of ratios) assert.ok(ratio >= 4.5, `${pair}: ${ratio}`);
    await page.keyboard.press("t");
  }
});

it("the console stays silent", () => {
  assert.deepEqual(page.complaints, []);
});

it("the page opens its scene again after the server was gone", async () => {
  await open("ball");
  const { port } = mock;
  await mock.stop();
  await page.locator("#connection").waitFor({ state: "visible" });
  mock = await startMock(port);
  assert.equal((await hear("open")).scene, "ball");
  await page.locator("#connection").waitFor({ state: "hidden" });
});
