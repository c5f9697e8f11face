// Files that come and go, with the real studio behind the page: dropped on it, and made by it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHooke } from "./studio.mjs";
import { visit } from "./visit.mjs";

let page;
const { it, open, opens, moves, sceneText } = visit((now) => (page = now.page), "--port", "0");

const SHEET = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";

/** The same sheet as glTF, with its numbers within. */
function gltf() {
  const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]).buffer);
  const triangles = Buffer.from(new Uint16Array([0, 1, 2, 0, 2, 3]).buffer);
  const data = Buffer.concat([positions, triangles]);
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    buffers: [{ byteLength: data.length, uri: `data:application/octet-stream;base64,${data.toString("base64")}` }],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: positions.length },
      { buffer: 0, byteOffset: positions.length, byteLength: triangles.length },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5123, count: 6, type: "SCALAR" },
    ],
  });
}

/** Drags a file over the page and drops it there, as a browser tells the page of it. */
async function drop(name, text) {
  const transfer = await page.evaluateHandle(
    ([called, content]) => {
      const held = new DataTransfer();
      held.items.add(new File([content], called));
      return held;
    },
    [name, text],
  );
  const target = page.locator("#drop");
  await page.dispatchEvent("#view", "dragenter", { dataTransfer: transfer });
  await target.waitFor();
  await page.dispatchEvent("#view", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("#view", "drop", { dataTransfer: transfer });
  await target.waitFor({ state: "hidden" });
}

it("a dropped OBJ and a dropped glTF become scenes", async () => {
  for (const [name, text] of [["sheet.obj", SHEET], ["sheet.gltf", gltf()]]) {
    await opens(() => drop(name, text));
    assert.equal(await page.evaluate(() => window.studio.run(0).particles), 4, name);
    await moves();
  }
});

it("a dropped scene is opened", async () => {
  const text = await sceneText("rope");
  await opens(() => drop("mine.toml", text.replace(/title = .*/, 'title = "Dropped rope"')));
  assert.match(await page.locator("#title").textContent(), /Dropped rope/);
  await moves();
});

it("what is dropped and broken gets a sentence, and what was open stays", async () => {
  const before = await page.evaluate(() => window.studio.opened);
  for (const [name, text] of [["broken.obj", "f 1 2 3\n"], ["broken.gltf", "{}"], ["broken.toml", "format = 1\nwrong = 2\n"], ["notes.txt", "hello"]]) {
    await drop(name, text);
    const notice = page.locator(".notice.error");
    await notice.waitFor();
    assert.ok((await notice.textContent()).length > 10, name);
    await notice.getByRole("button").click();
    await notice.waitFor({ state: "detached" });
  }
  assert.equal(await page.evaluate(() => window.studio.opened), before);
});

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

for (const { title, ends, check } of [
  {
    title: "Picture",
    ends: ".png",
    check: (bytes) => {
      assert.deepEqual([...bytes.subarray(0, 8)], PNG);
      assert.ok(bytes.readUInt32BE(16) >= 640, "its width");
      assert.equal(bytes.subarray(-8, -4).toString("latin1"), "IEND");
    },
  },
  {
    title: "Animation",
    ends: ".gif",
    check: (bytes) => {
      assert.equal(bytes.subarray(0, 6).toString("latin1"), "GIF89a");
      assert.equal(bytes.at(-1), 0x3b);
    },
  },
  {
    title: "glTF, animated",
    ends: ".glb",
    check: (bytes) => {
      assert.equal(bytes.subarray(0, 4).toString("latin1"), "glTF");
      assert.equal(bytes.readUInt32LE(8), bytes.length);
      const { animations, meshes } = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
      assert.ok(animations.length > 0 && meshes.length > 0);
    },
  },
  {
    title: "Recording",
    ends: ".hooke",
    check: (_, path) => {
      const drawn = join(mkdtempSync(join(tmpdir(), "hooke-page-")), "again.png");
      execFileSync(findHooke(), ["render", path, "--out", drawn]);
      assert.deepEqual([...readFileSync(drawn).subarray(0, 8)], PNG);
    },
  },
]) {
  it(`${title.toLowerCase()}: what was seen becomes a file, and its progress is seen`, async () => {
    await open("rope");
    await page.waitForFunction(() => window.studio.state.timeline.frames > 10);
    await page.keyboard.press("x");
    const line = page.getByRole("dialog", { name: "Export" }).locator(".choice", { hasText: title }).first();
    await page.evaluate(() => {
      window.seen = [];
      new MutationObserver(() => {
        const bar = document.querySelector("dialog progress");
        if (bar) window.seen.push([bar.value, bar.max]);
      }).observe(document.querySelector("dialog"), { childList: true, subtree: true });
    });
    const [download] = await Promise.all([page.waitForEvent("download"), line.getByRole("button").click()]);
    assert.ok(download.suggestedFilename().endsWith(ends), download.suggestedFilename());
    const path = await download.path();
    check(readFileSync(path), path);
    const seen = await page.evaluate(() => window.seen);
    assert.ok(seen.length > 0 && seen.every(([done, total]) => done <= total), JSON.stringify(seen));
    await line.getByRole("link", { name: "Download" }).waitFor();
    await page.keyboard.press("Escape");
  });
}

it("the console stays silent", () => {
  assert.deepEqual(page.complaints, []);
});
