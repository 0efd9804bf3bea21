// `npm run bench [-- part…]`: measures every promised speed beside its anchor.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";
import { buildZstd } from "./native-zstd.mjs";

process.chdir(root);
await bootstrapOrExit("product");
const report = await buildZstd();
if (report) console.warn(report);
const { status } = spawnSync(process.execPath, [tool.tsx, "bench/main.ts", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
