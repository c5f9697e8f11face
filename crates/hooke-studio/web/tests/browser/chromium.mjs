// Chromium as it is found on the machine, drawing without a graphics card.

import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** The path of the browser; null where there is none. */
export function findChromium() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      // The next one.
    }
  }
  return null;
}

export async function launch() {
  return chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
}

/** A page that keeps what the console complained about. */
export async function newPage(browser, size = { width: 1440, height: 900 }, scheme = "light") {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  return page;
}
