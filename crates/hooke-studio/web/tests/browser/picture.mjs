// Takes the picture of the studio for the README: a scene of the gallery, with others of its methods
// beside it where some are named. `npm run picture -- [PATH [SCENE [METHOD …]]]`

import { launch, newPage } from "./chromium.mjs";
import { startStudio } from "./studio.mjs";
import { actions } from "./visit.mjs";

/** When (s) the picture is taken. */
const MOMENT = 1;

const [path = "../../../docs/images/studio.png", scene = "cloth-on-sphere", ...methods] = process.argv.slice(2);
const browser = await launch();
const studio = await startStudio("--port", "0");
try {
  const page = await newPage(browser, { width: 1440, height: 900 });
  page.setDefaultTimeout(600_000);
  const { open, pause } = actions(() => page);
  await page.goto(studio.url);
  await page.waitForFunction(() => window.studio?.frames > 1);
  await open(scene);
  if (methods.length > 0) {
    await page.keyboard.press("c");
    for (const method of methods) await page.check(`dialog input[value="${method}"]`);
    await page.click("dialog footer button");
    await page.waitForFunction((count) => window.studio.runs > count, methods.length);
  }
  await page.check(".plot-switch input");
  await page.waitForFunction((time) => window.studio.run(0).time >= time, MOMENT);
  await pause();
  await page.locator("#gallery").evaluate((gallery) => gallery.scrollTo(0, 0));
  await page.waitForFunction(() => [...document.querySelectorAll(".card img")].slice(0, 12).every((image) => image.naturalWidth > 0));
  await page.waitForFunction(() => window.studio.resting);
  await page.screenshot({ path });
} finally {
  await browser.close();
  await studio.stop();
}
