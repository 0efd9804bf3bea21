// `npm run test:deploy`: installs Prometheus's tools from Debian and checks the files of `deploy/` with them.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("nothing");

const runs = (file, ...args) => spawnSync(file, args, { stdio: "ignore" }).status === 0;

if (!runs("promtool", "--version")) {
  const apt = process.getuid?.() === 0 ? ["apt-get", "-qq"] : ["sudo", "-n", "apt-get", "-qq"];
  const [file, ...args] = apt;
  runs(file, ...args, "update");
  if (!runs(file, ...args, "install", "-y", "--no-install-recommends", "prometheus")) {
    console.error("promtool was not found and could not be installed: apt-get install prometheus, or put it in PATH");
    process.exit(1);
  }
}
const { status } = spawnSync(process.execPath, [tool.vitest, "run", "server/testing/documents/monitoring-files"], {
  stdio: "inherit",
});
process.exit(status ?? 1);
