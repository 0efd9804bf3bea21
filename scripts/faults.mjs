// `npm run test:faults [-- --only PART --seed S --short]`: does harm to the running product and checks that no data is
// lost.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("product");
const { status } = spawnSync(process.execPath, [tool.tsx, "faults/main.ts", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
