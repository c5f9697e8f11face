// `npm run mock`: the page of `dist` with the moving grid behind it, at a fixed port.

import { startMock } from "./server.mjs";

const { url } = await startMock(7117);
console.log(`The page with a mock behind it: ${url}`);
