// `npm run dev`: Next's development server, which shows edits at once, and the worker, started again on every edit.
import { spawn } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

await bootstrapOrExit("nothing");
const child = spawn(process.execPath, [tool.tsx, "server/main.ts", "--dev", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, NODE_ENV: "development" },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => process.exit(code ?? 1));
