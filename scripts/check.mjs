// `npm run check [-- --since main]`: proves what git says has changed; a tenth of `npm test`, and no replacement for it.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

await bootstrapOrExit("sources");
const args = [tool.tsx, "scripts/check/main.ts", ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1);
