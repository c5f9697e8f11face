// The real studio as a process, for tests of the page in a browser.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BUILT = fileURLToPath(new URL("../../../../../target/checked/hooke", import.meta.url));
const STARTS_WITHIN = 30_000;

/** The program under test: `HOOKE`, or what the tests of the workspace built; null where neither is. */
export function findHooke() {
  const path = process.env.HOOKE ?? BUILT;
  return existsSync(path) ? resolve(path) : null;
}

/** Starts `hooke studio` and waits for the address that it prints. */
export async function startStudio(...options) {
  const child = spawn(findHooke(), ["studio", "--no-open", ...options], {
    // What the studio saves at its end belongs to no test.
    cwd: mkdtempSync(join(tmpdir(), "hooke-page-")),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise((found, failed) => {
    const timer = setTimeout(() => failed(new Error("the studio printed no address")), STARTS_WITHIN);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        const address = /http:\/\/\S+/.exec(line);
        if (!address) return;
        clearTimeout(timer);
        found(address[0]);
      });
    }
    child.on("exit", (code) => failed(new Error(`the studio ended with ${code}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    stop: () =>
      new Promise((done) => {
        child.on("exit", done);
        child.kill("SIGINT");
      }),
  };
}
