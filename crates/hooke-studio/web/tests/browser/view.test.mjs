// What is drawn and plotted, with the real studio behind the page: every way to look at a scene
// changes the picture and can be taken back, every plot has numbers that move, every demo runs.

import assert from "node:assert/strict";
import { SMALL, visit } from "./visit.mjs";

let page;
const { it, open, pause, moves, opens } = visit((now) => (page = now.page), "--port", "0");

/** The picture of a scene that stands still, once it is drawn finely. */
async function picture() {
  await page.waitForFunction(() => window.studio.resting);
  return page.evaluate(() => window.studio.picture());
}

/** How many pixels of the canvas one of `colors` is near to, per thousand. */
async function share(...colors) {
  await page.waitForFunction(() => window.studio.resting);
  return page.evaluate(async (wanted) => {
    const image = new Image();
    image.src = window.studio.picture();
    await image.decode();
    const canvas = new OffscreenCanvas(400, 300);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 400, 300);
    const { data } = context.getImageData(0, 0, 400, 300);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [r, g, b] = data.subarray(at, at + 3);
      const like = { red: r > 1.6 * g && r > 1.6 * b, blue: b > 1.3 * r && b > 60, dark: r + g + b < 170 };
      if (wanted.some((name) => like[name])) count += 1;
    }
    return (1000 * count) / (data.length / 4);
  }, colors);
}

for (const { key, name, scene, before: shown, then } of [
  { key: "2", name: "Wireframe", scene: "hanging-cloth" },
  { key: "3", name: "Springs", scene: "hanging-cloth" },
  { key: "4", name: "Particles", scene: "hanging-cloth" },
  { key: "5", name: "Pins", scene: "flag" },
  { key: "6", name: "Velocities", scene: "flag", before: { blue: 0 }, then: { blue: 2 } },
  { key: "7", name: "Color by strain", scene: "flag", before: { red: 40 }, then: { red: 0 } },
  { key: "8", name: "Shadows", scene: "hanging-cloth" },
  { key: "9", name: "Ground", scene: "hanging-cloth" },
]) {
  it(`${name.toLowerCase()} can be switched, and back`, async () => {
    await open(scene);
    await page.waitForFunction(() => window.studio.run(0).time > 0.3);
    await pause();
    const toggle = page.locator("#tools").getByRole("button", { name, exact: true });
    const pressed = await toggle.getAttribute("aria-pressed");
    const first = await picture();
    for (const [color, least] of Object.entries(shown ?? {})) {
      const found = await share(color);
      assert.ok(least > 0 ? found > least : found < 1, `${found} ‰ ${color} before`);
    }
    await page.keyboard.press(key);
    assert.notEqual(await toggle.getAttribute("aria-pressed"), pressed);
    assert.notEqual(await picture(), first, "nothing else is drawn");
    for (const [color, least] of Object.entries(then ?? {})) {
      const found = await share(color);
      assert.ok(least > 0 ? found > least : found < 20, `${found} ‰ ${color} then`);
    }
    await page.keyboard.press(key);
    assert.equal(await picture(), first, "it is not taken back");
  });
}

it("strain has a scale", async () => {
  await open("flag");
  const legend = page.locator("#legend");
  assert.equal(await legend.isVisible(), false);
  await page.keyboard.press("7");
  await legend.waitFor();
  assert.match(await legend.textContent(), /−[\d.]+ %.*\+[\d.]+ %/s);
  await page.keyboard.press("7");
  await legend.waitFor({ state: "hidden" });
});

it("the view is turned, moved aside, brought nearer, and all of it framed again", async () => {
  await open("hanging-cloth");
  await pause();
  const corners = () => page.evaluate(() => [0, 25].map((corner) => window.studio.screenPosition(0, corner)));
  const drag = async (button, by) => {
    const stage = await page.locator("#view canvas").boundingBox();
    const from = { x: stage.x + 40, y: stage.y + stage.height - 40 };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down({ button });
    await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 5 });
    await page.mouse.up({ button });
    await page.waitForFunction(() => window.studio.resting);
  };
  const apart = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.studio.resting);
  const first = await corners();
  await drag("right", { x: 60, y: -30 });
  const aside = await corners();
  for (const [index, place] of aside.entries()) {
    const [dx, dy] = [place.x - first[index].x, place.y - first[index].y];
    assert.ok(dx > 30 && dx < 90 && dy < -15 && dy > -45, `moved by ${dx}, ${dy}`);
  }
  await drag("left", { x: 120, y: 0 });
  assert.ok(apart(await corners()) < 0.97 * apart(first), "it is not turned");
  const turned = await corners();
  await page.mouse.wheel(0, -400);
  await page.waitForFunction(() => window.studio.resting);
  assert.ok(apart(await corners()) > 1.1 * apart(turned), "it came no nearer");
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.studio.resting);
  const framed = await corners();
  const stage = await page.locator("#view canvas").boundingBox();
  for (const { x, y } of framed) {
    assert.ok(x > stage.x && x < stage.x + stage.width && y > stage.y && y < stage.y + stage.height);
  }
});

it("every plot has numbers, and they move", async () => {
  await open("hanging-cloth");
  await page.check(".plot-switch input");
  const plots = () => page.evaluate(() => window.studio.plots);
  await page.waitForFunction(() => window.studio.plots.filter(({ hidden }) => !hidden).every(({ points }) => points > 3));
  const first = await plots();
  const names = ["Energy (J)", "Residual per iteration (N)", "Milliseconds per step", "Error of a step"];
  assert.deepEqual(first.filter(({ hidden }) => !hidden).map(({ title }) => title), names);
  const [energy, residual, times] = first;
  assert.deepEqual(energy.lines, ["kinetic", "elastic", "gravity", "total", "unexplained"]);
  assert.ok(residual.values[0].at(0) > residual.values[0].at(-1), "a solve gets nearer");
  for (const phase of ["assembly", "factor", "solve"]) assert.ok(times.lines.includes(phase), phase);
  await page.waitForFunction((before) => {
    const now = window.studio.plots;
    return before.every(({ title, hidden, values }, index) =>
      hidden || JSON.stringify(now[index].values) !== JSON.stringify(values) || title === "");
  }, first);
  await page.uncheck(".plot-switch input");
});

it("going back on the timeline takes the plots and the energy's account along", async () => {
  await open("flag");
  await page.waitForFunction(() => window.studio.state.timeline.frames > 20);
  await pause();
  const late = await page.evaluate(() => window.studio.run(0).report);
  await page.locator(".timeline").fill("2");
  await page.waitForFunction((time) => window.studio.run(0).report.time < time, late.time / 2);
  const early = await page.evaluate(() => window.studio.run(0).report);
  assert.ok(Math.abs(early.numerical) < Math.abs(late.numerical), `${early.numerical} ${late.numerical}`);
  assert.equal(await page.locator(".verdict").textContent(), "", "no step was taken: none is judged");
  // The slider has the focus, and the keys of the page still work.
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
});

/** Positions of a particle of the first run. */
const where = (particle) =>
  page.evaluate((index) => [...window.studio.run(0).positions.slice(3 * index, 3 * index + 3)], particle);

it("each course demo is one click", async () => {
  await opens(() => page.click('.card[data-scene="free-fall"]'));
  await page.waitForFunction(() => window.studio.run(0).time > 0.3);
  assert.equal((await where(0))[1], 1, "a fixed particle stays");
  assert.ok((await where(2))[1] < 0.9, "a free one falls");

  await open("springs");
  assert.ok((await page.evaluate(() => window.studio.run(0).report.energy.elastic)) > 0);

  await open("walls");
  await page.waitForFunction(() => window.studio.run(0).time > 1);
  const reach = await page.evaluate(() => {
    const all = window.studio.run(0).positions;
    return Math.max(...[...all].map((value, at) => (at % 3 === 1 ? 0 : Math.abs(value))));
  });
  assert.ok(reach <= 1.001, `a wall was passed: ${reach}`);

  await open("attractor");
  await page.waitForFunction(() => window.studio.run(0).time > 0.5);
  assert.ok(Math.abs(Math.hypot(...(await where(0))) - 1) < 0.02, "a circle is a circle");

  await open("drag");
  await page.waitForFunction(() => window.studio.run(0).time > 0.4);
  const ways = await Promise.all([0, 1, 2, 3].map(where));
  assert.ok(ways.every((way, index) => index === 0 || way[0] < ways[index - 1][0]), "drag holds back");

  await open("dashpot");
  await page.waitForFunction(() => window.studio.run(0).report.work.damping < 0);

  await opens(() => page.click('.card[data-scene="comparison"]'));
  const methods = await page.evaluate(() => [0, 1, 2].map((run) => window.studio.run(run).method));
  assert.deepEqual(methods, ["symplectic-euler", "newton", "quasi-newton"]);
  for (const run of [0, 1, 2]) await moves(run);
});

it("every demo of the course is shown first", async () => {
  const first = await page.locator(".group").first();
  assert.equal(await first.getAttribute("aria-label"), "Course");
});

it("a narrow window shows all, from side to side", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await open("flag");
  const wider = await page.$$eval("#top, #stage, #transport, #transport > *, #plots, #left, #right, #right input", (all) =>
    all.filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wider, []);
  await page.setViewportSize(SMALL);
});

it("the console stays silent", () => {
  assert.deepEqual(page.complaints, []);
});
