// `npm run compare -- <folder>` or `-- <count> [seed]`: reads recordings in both ways, into columns and message by message,
// and compares everything that comes out. `-- values [seed]`: compares it with what libraries of other projects decode.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("nothing");
const { status } = spawnSync(process.execPath, [tool.tsx, "bench/compare.ts", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
