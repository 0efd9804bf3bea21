// `npm run dev`: Next's development server with hot reloading, and the worker, restarted on every edit.
import { bootstrapOrExit, root } from "./bootstrap.mjs";
import { stopWithNpm } from "./stop-with-npm.mjs";

stopWithNpm();
process.chdir(root);
await bootstrapOrExit("nothing");
process.env.NODE_ENV = "development";
process.argv.splice(2, 0, "--dev");
const { register } = await import("tsx/esm/api");
register();
await import("../server/main.ts");
