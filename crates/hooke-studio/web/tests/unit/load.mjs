// Modules of the page, for tests: TypeScript is translated by the tool that also builds the page.

import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Loads modules by their paths under `src`, hands them over, and ends what that needed. */
export async function load(...names) {
  const server = await createServer({
    root,
    logLevel: "error",
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  const modules = [];
  for (const name of names) modules.push(await server.ssrLoadModule(`/src/${name}.ts`));
  await server.close();
  return modules;
}
