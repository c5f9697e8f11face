// A visit to the studio, for tests of the page: the browser and the studio behind it, and what a person does first.

import { after, before, test } from "node:test";
import { findChromium, launch, newPage } from "./chromium.mjs";
import { findHooke, startStudio } from "./studio.mjs";

/** A page that cannot be waited for within this time (ms) is broken. */
export const LONG = 60_000;
export const SMALL = { width: 1100, height: 700 };

/**
 * A browser and a studio for all tests of a file, which stand in `it`; `now` has the page and the studio, and
 * `arrive` is called with it before the first test.
 */
export function visit(arrive, ...options) {
  const missing = !findChromium() ? "no chromium" : !findHooke() ? "no hooke" : false;
  const now = {};
  before(async () => {
    if (missing) return;
    now.browser = await launch();
    now.studio = await startStudio(...options);
    now.page = await newPage(now.browser, SMALL);
    now.page.setDefaultTimeout(LONG);
    await now.page.goto(now.studio.url);
    await now.page.waitForFunction(() => window.studio?.frames > 1);
    arrive(now);
  });
  after(async () => {
    await now.browser?.close();
    await now.studio?.stop();
  });
  const it = (name, run) => test(name, { skip: missing, timeout: 10 * LONG }, run);
  return { now, it, ...actions(() => now.page) };
}

/** Opens scenes and time on whatever page `pageOf` gives at the moment. */
export function actions(pageOf) {
  const waitFor = (...rest) => pageOf().waitForFunction(...rest);

  /** Waits until a run has taken some steps and a picture was drawn since. */
  async function moves(run = 0) {
    await waitFor((index) => window.studio.run(index)?.report?.step >= 3, run);
    const frames = await pageOf().evaluate(() => window.studio.frames);
    await waitFor((count) => window.studio.frames > count, frames);
  }

  /** Waits until what `act` does has opened a scene. */
  async function opens(act) {
    const before = await pageOf().evaluate(() => window.studio.opened);
    await act();
    await waitFor((count) => window.studio.opened > count, before);
  }

  /** Opens a scene of the gallery by its card and waits until it moves. */
  async function open(scene) {
    await opens(() => pageOf().click(`.card[data-scene="${scene}"]`));
    await moves();
  }

  async function pause() {
    const playing = await pageOf().evaluate(() => window.studio.state.playing);
    if (playing) await pageOf().click('[aria-label="Pause"]');
    await waitFor(() => !window.studio.state.playing);
  }

  /** Opens a text of one's own by the editor. */
  async function openText(text) {
    await pageOf().click("#tab-editor");
    await pageOf().locator(".cm-content").click();
    await pageOf().keyboard.press("Control+a");
    await pageOf().keyboard.insertText(text);
    await opens(() => pageOf().keyboard.press("Control+Enter"));
    await pageOf().click("#tab-gallery");
  }

  /** The text of a scene, asked for as the page asks. */
  function sceneText(name) {
    return pageOf().evaluate(async (scene) => {
      const headers = { Authorization: `Bearer ${sessionStorage.getItem("hooke-key")}` };
      return (await fetch(`/api/scene/${scene}`, { headers })).text();
    }, name);
  }

  return { moves, opens, open, pause, openText, sceneText };
}
