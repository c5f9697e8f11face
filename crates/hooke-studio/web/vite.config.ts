// How the page becomes the files that the program carries: nothing inline, so that a strict
// content security policy holds, and no source maps.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:7117", ws: true } } },
});
