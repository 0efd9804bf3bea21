// `npm run test:deploy`: installs the tools of Prometheus and Compose from Debian, and checks the files of `deploy/` and the
// compose files with them.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("nothing");

const runs = (file, ...args) => spawnSync(file, args, { stdio: "ignore" }).status === 0;

function install(tool, name) {
  if (runs(tool, "--version")) return;
  const [file, ...args] = process.getuid?.() === 0 ? ["apt-get", "-qq"] : ["sudo", "-n", "apt-get", "-qq"];
  runs(file, ...args, "update");
  if (runs(file, ...args, "install", "-y", "--no-install-recommends", name)) return;
  console.error(`${tool} was not found and could not be installed: apt-get install ${name}, or put it in PATH`);
  process.exit(1);
}
install("promtool", "prometheus");
install("docker-compose", "docker-compose");

const compose = (file, env) =>
  spawnSync("docker-compose", ["-f", file, "config", "-q"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  });
const secrets = { AUTH_SECRET: "x".repeat(32), POSTGRES_PASSWORD: "x" };
for (const file of ["compose.yaml", "compose.several.yaml"]) {
  const { status, stderr } = compose(file, secrets);
  if (status !== 0) {
    console.error(`${file}: ${stderr}`);
    process.exit(1);
  }
}
for (const missing of Object.keys(secrets)) {
  if (compose("compose.several.yaml", { ...secrets, [missing]: "" }).status !== 0) continue;
  console.error(`compose.several.yaml starts without ${missing}`);
  process.exit(1);
}
console.log("The compose files are valid, and start nothing without their secrets.");

const { status } = spawnSync(process.execPath, [tool.vitest, "run", "server/testing/documents/monitoring-files"], {
  stdio: "inherit",
});
process.exit(status ?? 1);
