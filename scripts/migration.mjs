// `npm run migration -- NAME` writes a migration, `-- --check` compares the migrations with the schema.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

await bootstrapOrExit("nothing");
const args = [tool.tsx, "scripts/write-migration.ts", ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1);
