// The page in a real browser, with the real studio behind it. Frame rates are never asserted:
// the page says itself what it drew.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPage } from "./chromium.mjs";
import { startStudio } from "./studio.mjs";
import { LONG, SMALL, visit } from "./visit.mjs";

let page;
const { now, it, open, moves, pause, sceneText } = visit((now) => (page = now.page));

it("the key leaves the address bar, and is in no cookie", async () => {
  assert.equal(new URL(page.url()).search, "");
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(await page.evaluate(() => localStorage.length), 0);
});

it("the page can be loaded again, and opened in a second tab", async () => {
  await page.reload();
  await page.waitForFunction(() => window.studio?.frames > 1);
  const { origin } = new URL(page.url());
  const second = await page.context().newPage();
  await second.goto(origin);
  await second.waitForFunction(() => window.studio?.frames > 1);
  await second.reload();
  await second.waitForFunction(() => window.studio?.frames > 1);
  await second.close();
});

it("without a key, or with a used one, the page says what to do", async () => {
  const context = await now.browser.newContext();
  for (const [address, words] of [
    [new URL(now.studio.url).origin, /no key.*Open the last address/],
    [now.studio.url, /used before: open the new one/],
  ]) {
    const stranger = await context.newPage();
    await stranger.goto(address);
    const banner = stranger.locator("#connection");
    await banner.waitFor({ state: "visible" });
    assert.match(await banner.textContent(), words);
    assert.equal(new URL(stranger.url()).search, "");
    await stranger.close();
  }
  await context.close();
});

it("every scene of the gallery loads, moves and is drawn", async () => {
  const scenes = await page.$$eval(".card:not([data-scene=comparison])", (cards) =>
    cards.map((card) => card.dataset.scene),
  );
  assert.ok(scenes.length > 20, String(scenes));
  for (const scene of scenes) {
    await open(scene);
    const first = await page.evaluate(() => window.studio.picture());
    const shown = await page.evaluate(() => window.studio.frames);
    await page.waitForFunction((count) => window.studio.frames > count + 1, shown);
    // A stack of boxes stands from the start.
    if (scene === "box-stack") continue;
    // Some begin slowly.
    const moves = page.waitForFunction((first) => window.studio.picture() !== first, first, { polling: 200, timeout: 10_000 });
    await moves.catch(() => assert.fail(`${scene} stands still`));
  }
});

it("thumbnails are pictures", async () => {
  await page.waitForFunction(() => document.querySelector(".card img")?.naturalWidth > 10);
});

it("a dragged particle follows the mouse", async () => {
  await open("hanging-cloth");
  const particle = await page.evaluate(() => window.studio.run(0).positions.length / 3 - 13);
  const from = await page.evaluate((index) => window.studio.screenPosition(0, index), particle);
  const to = { x: from.x + 70, y: from.y - 40 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  const near = ({ held, place }) => {
    const { x, y } = window.studio.screenPosition(0, held);
    return Math.hypot(x - place.x, y - place.y) < 25;
  };
  const grabbed = await page.evaluate(() => window.studio.grabbed);
  assert.ok(grabbed, "nothing was grabbed");
  await page.waitForFunction(near, { held: grabbed.particle, place: to });
  await page.mouse.up();
});

it("the attractor draws everything to the mouse until a double click", async () => {
  await open("free-fall");
  await page.keyboard.press("a");
  const stage = await page.locator("#view canvas").boundingBox();
  const to = { x: stage.x + 0.7 * stage.width, y: stage.y + 0.3 * stage.height };
  const far = () =>
    page.evaluate((place) => {
      const { x, y } = window.studio.screenPosition(0, window.studio.run(0).positions.length / 3 - 1);
      return Math.hypot(x - place.x, y - place.y);
    }, to);
  await page.keyboard.press("r");
  const before = await far();
  await page.mouse.move(to.x - 20, to.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await page.waitForFunction(
    ({ place, from }) => {
      const { x, y } = window.studio.screenPosition(0, window.studio.run(0).positions.length / 3 - 1);
      return Math.hypot(x - place.x, y - place.y) < 0.6 * from;
    },
    { place: to, from: before },
  );
  await page.mouse.up();
  await page.mouse.dblclick(to.x, to.y);
  await page.keyboard.press("g");
});

it("the target of an arm is dragged, and the arm follows", async () => {
  await open("two-arms");
  // While time stands still, the hand is where it was looked for.
  await pause();
  const end = await page.evaluate(() => window.studio.run(0).positions.length / 3 - 1);
  const from = await page.evaluate((joint) => window.studio.screenPosition(0, joint), end);
  const to = { x: from.x - 40, y: from.y + 30 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const grabbed = await page.evaluate(() => window.studio.grabbed);
  assert.equal(grabbed?.particle, end, "the hand was not grabbed");
  await page.keyboard.press("Space");
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.waitForFunction(
    ({ joint, place }) => {
      const { x, y } = window.studio.screenPosition(0, joint);
      return Math.hypot(x - place.x, y - place.y) < 20;
    },
    { joint: grabbed.particle, place: to },
  );
  await page.mouse.up();
});

it("time can be slowed down", async () => {
  await open("pendulum");
  const passed = async () => {
    const look = () => page.evaluate(() => [window.studio.run(0).report.time, performance.now() / 1000]);
    const [first, second] = [await look(), await page.waitForTimeout(1500).then(look)];
    return (second[0] - first[0]) / (second[1] - first[1]);
  };
  const fast = await passed();
  await page.locator("#transport select").selectOption("0.1");
  const slow = await passed();
  assert.ok(slow > 0 && slow < 0.5 * fast, `${fast}, then ${slow} seconds a second`);
  await page.locator("#transport select").selectOption("1");
});

it("a double click pins, and another lets go", async () => {
  await open("hanging-cloth");
  await pause();
  const before = await page.evaluate(() => window.studio.pins.length);
  const place = await page.evaluate(() => window.studio.screenPosition(0, 300));
  await page.mouse.dblclick(place.x, place.y);
  await page.waitForFunction((count) => window.studio.pins.length === count + 1, before);
  await page.mouse.dblclick(place.x, place.y);
  await page.waitForFunction((count) => window.studio.pins.length === count, before);
});

it("time can be stopped, stepped, looked back on and reset", async () => {
  await open("flag");
  await page.waitForFunction(() => window.studio.state.timeline.frames > 4);
  await pause();
  const step = await page.evaluate(() => window.studio.run(0).report.step);
  await page.keyboard.press(".");
  await page.waitForFunction((count) => window.studio.run(0).report.step === count + 1, step);
  await page.locator(".timeline").fill("1");
  await page.waitForFunction(() => window.studio.state.timeline.frame === 1);
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Back to the start"]');
  await page.waitForFunction(() => window.studio.run(0).time === 0);
});

it("the method changes while it runs", async () => {
  await open("hanging-cloth");
  const select = page.locator("#controls select").first();
  await select.selectOption("quasi-newton");
  await page.waitForFunction(() => window.studio.run(0).method === "quasi-newton");
  await moves();
  await page.getByRole("textbox", { name: "iterations" }).fill("3");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.studio.run(0).settings.iterations === 3);
  await page.waitForFunction(() => window.studio.run(0).report.iterations === 3);
});

it("the world changes while it runs, and the text says so", async () => {
  await open("hanging-cloth");
  const gravity = page.locator(".vector-field input").nth(1);
  await gravity.fill("-1.5");
  await page.keyboard.press("Enter");
  await page.click("#tab-editor");
  await page.waitForFunction(() =>
    document.querySelector(".editor-text").shadowRoot.textContent.includes("-1.5"),
  );
  await page.click("#tab-gallery");
});

it("methods are compared, with their errors", async () => {
  await open("hanging-cloth");
  await page.keyboard.press("c");
  for (const method of ["symplectic-euler", "quasi-newton"]) await page.check(`dialog input[value="${method}"]`);
  await page.click("dialog footer button");
  await page.waitForFunction(() => window.studio.runs === 3);
  await page.check(".plot-switch input");
  for (const run of [0, 1, 2]) {
    await page.waitForFunction((index) => window.studio.run(index)?.report?.error != null, run);
  }
  assert.equal(await page.locator("#labels .label").count(), 3);
  await page.waitForFunction(() => {
    const plot = window.studio.plots.find(({ title }) => /error/i.test(title) && /millisecond/i.test(title));
    return plot && !plot.hidden && plot.lines.length === 3 && plot.points === 3;
  });
  await page.keyboard.press("o");
  assert.equal(await page.getAttribute('[aria-label="Overlay the runs"]', "aria-pressed"), "true");
  await page.keyboard.press("o");
  await page.uncheck(".plot-switch input");
});

it("an explosion is explained, and one click mends it", async () => {
  await open("stiff-cloth");
  await page.locator("#controls select").first().selectOption("symplectic-euler");
  const card = page.locator(".explosion");
  await card.waitFor();
  assert.match(await card.textContent(), /symplectic-euler exploded.*stable below/s);
  await card.locator("button").first().click();
  await card.waitFor({ state: "detached" });
  await moves();
});

it("a text with a mistake is marked at its line", async () => {
  await open("hanging-cloth");
  await page.click("#tab-editor");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("wrong = 1\n");
  await page.waitForFunction(() => /Line 1\b/.test(document.querySelector(".editor-status").textContent));
  await page.locator(".cm-lint-marker-error").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".notice.error").waitFor();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n[worl");
  await page.keyboard.press("Control+Space");
  await page.locator(".cm-tooltip-autocomplete").getByText("[world]").waitFor();
  await page.keyboard.press("Escape");
  await page.click("#tab-gallery");
});

it("a file becomes a scene, and a broken one gets a sentence", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hooke-page-"));
  const give = async (name, text) => {
    writeFileSync(join(folder, name), text);
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click('[aria-label="Open file"]')]);
    await chooser.setFiles(join(folder, name));
  };
  await give("broken.obj", "f 1 2 3\n");
  await page.locator(".notice.error").waitFor();
  const before = await page.evaluate(() => window.studio.opened);
  await give("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  await page.waitForFunction((count) => window.studio.opened > count, before);
  assert.equal(await page.evaluate(() => window.studio.run(0).particles), 4);
});

it("a file of the command line is saved where it came from", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "hooke-page-")), "mine.toml");
  const text = await sceneText("rope");
  writeFileSync(path, text);
  const own = await startStudio("--port", "0", path);
  const other = await newPage(now.browser, SMALL);
  other.setDefaultTimeout(LONG);
  await other.goto(own.url);
  await other.waitForFunction(() => window.studio?.frames > 1);
  assert.equal(await other.getAttribute('.card[data-scene="@"]', "aria-current"), "true");
  await other.click("#tab-editor");
  await other.locator(".cm-content").click();
  await other.keyboard.press("Control+End");
  await other.keyboard.type("# mine\n");
  await other.keyboard.press("Control+Enter");
  await other.waitForFunction(() => window.studio.opened > 1);
  await other.keyboard.press("Control+s");
  await other.locator(".notice.info").waitFor();
  assert.equal(readFileSync(path, "utf8"), `${text}# mine\n`);
  writeFileSync(path, "changed by someone else");
  await other.keyboard.press("Control+s");
  await other.locator(".notice.error").waitFor();
  assert.equal(readFileSync(path, "utf8"), "changed by someone else");
  assert.deepEqual(other.complaints, []);
  await other.context().close();
  await own.stop();
});

it("the console stays silent", () => {
  assert.deepEqual(page.complaints, []);
});

it("the page comes back after the studio was started anew", async () => {
  await open("flag");
  await now.studio.stop();
  await page.locator("#connection").waitFor({ state: "visible" });
  now.studio = await startStudio("--port", String(now.studio.port));
  // A person opens the new address; the old page then goes on where it was.
  const other = await page.context().newPage();
  await other.goto(now.studio.url);
  await page.bringToFront();
  await page.locator("#connection").waitFor({ state: "hidden" });
  await moves();
  assert.equal(await page.evaluate(() => window.studio.state.scene), "flag");
  await other.close();
});
