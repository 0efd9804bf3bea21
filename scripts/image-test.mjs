// `npm run test:image`: builds the container image, starts it as an ordinary user on an empty volume, and walks through
// docs/quick-start.md with it. Installs buildah from Debian; where no base image can be pulled, it makes one of Debian
// and this machine's Node.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { bootstrapOrExit, root } from "./bootstrap.mjs";

const maxBytes = 580_000_000;
/** The user "node" of the base image. */
const ordinary = "1000";
const published = "docker.io/library/node:22-bookworm-slim";
const own = "localhost/muster-test-base";
const image = "localhost/muster-test";

// Without a container runtime of its own: as root, in the network of this machine.
const env = { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot", DEBIAN_FRONTEND: "noninteractive" };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-image-"));
const say = (text) => console.log(`test:image: ${text}`);

/** Runs a program to its end. Resolves its output; throws with it when it fails. */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status === 0) return stdout.trim();
  throw (
    error ?? new Error(`${[program, ...args].join(" ")} ended with ${status}\n${`${stdout}${stderr}`.slice(-4_000)}`)
  );
}
const buildah = (...args) => run("buildah", args);
const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

function install(program) {
  if (has(program)) return;
  say(`installing ${program} from Debian`);
  run("apt-get", ["-qq", "update"]);
  run("apt-get", ["-qq", "install", "-y", "--no-install-recommends", program]);
}

/** The name of the base image: Node's own, or one with Debian, this machine's Node and its certificates. */
function chooseBase() {
  if (spawnSync("buildah", ["pull", "-q", published], { env, timeout: 120_000 }).status === 0) return published;
  say(`${published} cannot be pulled: making a base of Debian and Node ${process.version}`);
  install("mmdebstrap");
  const archive = path.join(folder, "debian.tar");
  const sources = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"].filter(fs.existsSync).slice(0, 1);
  const leaveOut = ["man", "locale", "doc"].map((each) => `--dpkgopt=path-exclude=/usr/share/${each}/*`);
  run("mmdebstrap", [
    "--variant=minbase",
    "--include=ca-certificates,libstdc++6",
    ...leaveOut,
    '--customize-hook=rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*',
    '--customize-hook=chroot "$1" useradd --uid 1000 --create-home node',
    "bookworm",
    archive,
    ...sources,
  ]);
  const container = buildah("from", "scratch");
  const npm = path.resolve(fs.realpathSync(run("sh", ["-c", "command -v npm"])), "../..");
  buildah("add", "-q", container, archive, "/");
  buildah("add", "-q", container, process.execPath, "/usr/local/bin/node");
  buildah("add", "-q", container, npm, "/usr/local/lib/node_modules/npm");
  for (const file of [certificates].filter(fs.existsSync)) buildah("add", "-q", container, file, file);
  buildah("run", container, "--", "ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm");
  buildah("config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container);
  buildah("commit", "-q", "--rm", container, own);
  return own;
}

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** The registry of this machine, with its certificates where it has some, for the secret of the build. */
function writeNpmrc() {
  const file = path.join(folder, "npmrc");
  const get = (name) => run("npm", ["config", "get", name]);
  const lines = [`registry=${get("registry")}`];
  if (get("cafile") !== "null" && get("cafile") !== "") lines.push(`cafile=${certificates}`);
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Walks through the guide's commands as they are printed, with the container's address. Throws when one fails. */
async function walkThrough(guide, url) {
  const blocks = [...fs.readFileSync(path.join(root, guide), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)];
  if (blocks.length === 0) throw new Error(`${guide} has no commands`);
  const script = blocks.map(([, block]) => block).join("\n");
  const walk = path.join(folder, "walk");
  fs.mkdirSync(walk);
  fs.symlinkSync(path.join(root, "scripts"), path.join(walk, "scripts"));
  const input = script.replaceAll("http://127.0.0.1:3000", url).replaceAll("4000", String(await freePort()));
  run("sh", ["-eu"], { cwd: walk, input, timeout: 180_000 });
  const log = fs.readFileSync(path.join(walk, "webhooks.log"), "utf8");
  const received = log.split("\n").filter((line) => line.startsWith("POST ")); // its set-up prints too
  if (received.length !== 3 || received.some((line) => !line.endsWith("signature valid"))) {
    throw new Error(`the webhooks of ${guide} were not received:\n${log}`);
  }
}

async function untilReady(url, started) {
  for (const end = performance.now() + 120_000; performance.now() < end && started.exitCode === null;) {
    if ((await fetch(`${url}/readyz`).catch(() => null))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the container did not become ready");
}

async function main() {
  await bootstrapOrExit("nothing");
  if (process.getuid?.() !== 0) throw new Error("run it as root: without a container runtime, buildah needs that");
  install("buildah");
  const base = chooseBase();
  say(`building on ${base}`);
  buildah(
    "bud",
    "-q",
    "--format",
    "docker",
    "--build-arg",
    `BASE=${base}`,
    "--secret",
    `id=npmrc,src=${writeNpmrc()}`,
    "-t",
    image,
    ".",
  );

  const container = buildah("from", "--pull-never", image);
  const mounted = buildah("mount", container);
  try {
    const bytes = Number(run("du", ["-sb", mounted]).split("\t")[0]);
    say(
      `${(bytes / 1e6).toFixed(0)} MB, of which ${run("du", ["-sh", path.join(mounted, "app")]).split("\t")[0]} Muster`,
    );
    if (bytes > maxBytes) throw new Error(`the image is larger than ${maxBytes / 1e6} MB`);
    const tools = ["typescript", "vitest", "@playwright", "prisma", "esbuild", "rolldown", "tsx"];
    const left = tools.filter((name) => fs.existsSync(path.join(mounted, "app/node_modules", name)));
    if (left.length > 0) throw new Error(`the image contains tools for development: ${left.join(", ")}`);

    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: port, HOST: "127.0.0.1", EGRESS_ALLOW_CIDRS: "127.0.0.0/8", RATE_LIMITS: "off" };
    const variables = Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    const log = fs.openSync(path.join(folder, "container.log"), "w");
    const user = buildah("run", container, "--", "id", "-u");
    if (user !== ordinary) throw new Error(`the container runs as user ${user}`);
    const started = spawn("buildah", ["run", ...variables, container, "--", "node", "dist/main.mjs"], {
      env,
      stdio: ["ignore", log, log],
      detached: true,
    });
    try {
      await untilReady(url, started);
      say("ready as an ordinary user; walking through docs/quick-start.md");
      await walkThrough("docs/quick-start.md", url);
    } catch (error) {
      throw new Error(fs.readFileSync(path.join(folder, "container.log"), "utf8").slice(-3_000), { cause: error });
    } finally {
      if (started.pid !== undefined) process.kill(-started.pid, "SIGTERM"); // with everything it started
      if (started.exitCode === null) await new Promise((resolve) => started.once("exit", resolve));
    }
  } finally {
    buildah("umount", container);
    buildah("rm", container);
  }
  say("passed");
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
