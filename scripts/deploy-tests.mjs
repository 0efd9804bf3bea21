// `npm run test:deploy`: installs the tools of Prometheus and Compose from Debian, and checks the files of `deploy/` and the
// compose files with them; then those of proxies with nginx and Caddy.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
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

/**
 * The program `inside` Debian's package `name`, unpacked and not installed: an installed proxy would start and take port
 * 80.
 */
function unpack(name, inside) {
  const folder = path.join(root, "node_modules/.cache/debian", name);
  const program = path.join(folder, inside);
  if (fs.existsSync(program)) return program;
  fs.mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, stdio: "ignore" };
  spawnSync("apt-get", ["-qq", "download", name], options);
  for (const file of fs.readdirSync(folder).filter((entry) => entry.endsWith(".deb")))
    spawnSync("dpkg", ["-x", file, "."], options);
  if (fs.existsSync(program)) return program;
  console.error(`Debian's package ${name} could not be fetched`);
  process.exit(1);
}
const proxies = { NGINX: unpack("nginx", "usr/sbin/nginx"), CADDY: unpack("caddy", "usr/bin/caddy") };

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

const documents = ["monitoring-files", "proxy-files"].map((name) => `server/testing/documents/${name}`);
const { status } = spawnSync(process.execPath, [tool.vitest, "run", ...documents], {
  stdio: "inherit",
  env: { ...process.env, ...proxies },
});
process.exit(status ?? 1);
