// `npm run test:deploy`: installs the tools of Prometheus and Compose from Debian, and checks the files of `deploy/` and the
// compose files with them; then those of proxies with nginx and Caddy, and what is refused at the start with PgBouncer.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("nothing");
const { parse } = await import("yaml");

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
 * The file `inside` Debian's package `name`, unpacked and not installed: an installed proxy would start and take port 80.
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
const libraries = `usr/lib/${{ x64: "x86_64", arm64: "aarch64" }[process.arch]}-linux-gnu`;
const packaged = {
  NGINX: unpack("nginx", "usr/sbin/nginx"),
  CADDY: unpack("caddy", "usr/bin/caddy"),
  PGBOUNCER: unpack("pgbouncer", "usr/sbin/pgbouncer"),
  PGBOUNCER_LIBRARIES: ["libc-ares2/libcares.so.2", "libevent-2.1-7/libevent-2.1.so.7"]
    .map((library) => library.split("/"))
    .map(([name, file]) => path.dirname(unpack(name, `${libraries}/${file}`)))
    .join(":"),
};

/** Where the compose files are read as Debian's Compose can, which does not know the long form of `env_file`. */
const project = fs.mkdtempSync(path.join(os.tmpdir(), "muster-compose-"));
process.once("exit", () => fs.rmSync(project, { recursive: true, force: true }));
fs.cpSync("deploy", path.join(project, "deploy"), { recursive: true });
fs.writeFileSync(path.join(project, "muster.env"), "SIGNUP=closed\n");

const optional = "- { path: muster.env, required: false }";

const compose = (file, env) => {
  const text = fs.readFileSync(file, "utf8");
  if (!text.includes(optional)) throw new Error(`${file} does not read muster.env`);
  fs.writeFileSync(path.join(project, file), text.replaceAll(optional, "- muster.env"));
  return spawnSync("docker-compose", ["-f", file, "config"], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  });
};
const secrets = { AUTH_SECRET: "x".repeat(32), POSTGRES_PASSWORD: "x" };
const given = { SIGNUP: "open", SMTP_URL: "smtp://mail:25" };
for (const [file, hops] of [
  ["compose.yaml", undefined],
  ["compose.several.yaml", "1"],
]) {
  const { status, stdout, stderr } = compose(file, { ...secrets, ...given });
  if (status !== 0) {
    console.error(`${file}: ${stderr}`);
    process.exit(1);
  }
  const services = Object.entries(parse(stdout).services).filter(([, { image }]) => image === "muster");
  const expected = { ...given, SIGNUP: "closed", PUBLIC_URL: "http://localhost:3000", TRUSTED_PROXY_HOPS: hops };
  for (const [name, { environment }] of services) {
    for (const [setting, value] of Object.entries(expected)) {
      if ((environment[setting] ?? undefined) === value) continue;
      console.error(`${file}: ${setting} of ${name} is ${environment[setting]}, not ${value}`);
      process.exit(1);
    }
  }
}
for (const missing of Object.keys(secrets)) {
  if (compose("compose.several.yaml", { ...secrets, [missing]: "" }).status !== 0) continue;
  console.error(`compose.several.yaml starts without ${missing}`);
  process.exit(1);
}
console.log("The compose files are valid, pass settings on, and start nothing without their secrets.");

const documents = ["monitoring-files", "proxy-files"].map((name) => `server/testing/documents/${name}`);
const tests = [...documents, "server/platform/database/pooler"];
const { status } = spawnSync(process.execPath, [tool.vitest, "run", ...tests], {
  stdio: "inherit",
  env: { ...process.env, ...packaged },
});
process.exit(status ?? 1);
