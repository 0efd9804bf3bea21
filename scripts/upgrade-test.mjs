// `npm run test:upgrade`: takes an installation with data from an earlier version to this one and back, as
// docs/operations/upgrade.md says, with processes of both serving in between. `-- --from TAG` is the earlier version, by
// default the last tag before this commit; `--built FOLDER` one that is built already. Without a tag there is nothing to do.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { bootstrapOrExit, root } from "./bootstrap.mjs";
import { addData, holds, readData, until } from "./upgrade-data.mjs";

const { values: options } = parseArgs({ options: { from: { type: "string" }, built: { type: "string" } } });
const say = (text) => console.log(`upgrade: ${text}`);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-upgrade-"));
fs.chmodSync(folder, 0o711); // the embedded database runs as another user
const dataDir = path.join(folder, "data");
const running = new Set();
const faults = [];

/** Runs a program to its end. Resolves to its output; throws with it when it fails. */
function run(program, args, settings = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...settings,
  });
  if (status === 0) return stdout.trim();
  throw (
    error ?? new Error(`${[program, ...args].join(" ")} ended with ${status}\n${`${stdout}${stderr}`.slice(-4_000)}`)
  );
}

/** The last version before this commit; null where there is none. */
function findEarlier() {
  const args = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

/** A checkout of a version beside this one, built. */
function buildEarlier(version) {
  const checkout = path.join(folder, "before");
  fs.mkdirSync(checkout);
  const archive = path.join(folder, "before.tar");
  run("git", ["archive", "--output", archive, version], { cwd: root });
  run("tar", ["--extract", "--file", archive, "--directory", checkout]);
  say(`building ${version}`);
  run(process.execPath, ["scripts/bootstrap.mjs"], { cwd: checkout });
  return checkout;
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

const log = path.join(folder, "muster.log");
const environment = (port, more) => ({
  ...process.env,
  NODE_ENV: "production",
  PORT: String(port),
  DATA_DIR: dataDir,
  DATABASE_URL: "",
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  RATE_LIMITS: "off",
  LOG_LEVEL: "warn",
  MALLOC_ARENA_MAX: "1",
  ...more,
});

/** Starts a role of a version. Web processes are ready when this resolves. */
async function start(checkout, role, port, more = {}) {
  const output = fs.openSync(log, "a");
  const child = spawn(process.execPath, ["dist/main.mjs", "--role", role], {
    cwd: checkout,
    stdio: ["ignore", output, output],
    env: environment(port, more),
  });
  fs.closeSync(output);
  running.add(child);
  child.once("exit", () => running.delete(child));
  const url = `http://127.0.0.1:${port}`;
  if (role !== "worker")
    await until(`the start of ${role}`, 180, async () => {
      if (child.exitCode !== null) throw new Error(`${role} ended with ${child.exitCode}`);
      return (await fetch(`${url}/readyz`)).status === 200;
    });
  return { url, stop: () => stop(child) };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null)
    return void faults.push(`a process ended by itself with ${child.exitCode ?? child.signalCode}`);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await ended;
  if (code !== 0) faults.push(`a process ended with ${code}`);
}

/** A client of one web process. */
const createClient = (url, key) => ({
  async call(method, at, body, header = { "x-service-api-key": key }) {
    const response = await fetch(`${url}/api/v1${at}`, {
      method,
      headers: { "content-type": "application/json", ...header },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${at} responded ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  },
});

/** Notes what is missing of `before`, or differs. */
async function compare(label, client, before) {
  const now = await readData(client);
  const lost = [...before.keys()].filter((key) => !now.has(key));
  const changed = [...before].filter(([key, value]) => now.has(key) && !holds(now.get(key), value)).map(([key]) => key);
  say(`${label}: ${now.size} objects; of ${before.size} before, ${lost.length} lost and ${changed.length} changed`);
  for (const key of lost) faults.push(`${label}: ${key} is lost`);
  for (const key of changed)
    faults.push(`${label}: ${key} changed from ${JSON.stringify(before.get(key))} to ${JSON.stringify(now.get(key))}`);
  return now;
}

/** Stops one version and starts the other on the same data. Resolves to the seconds without a successful request. */
async function replaceBy(checkout, old, port, key) {
  const began = performance.now();
  await old.stop();
  const stopped = performance.now();
  const next = await start(checkout, "all", port);
  await createClient(next.url, key).call("GET", "/fleet/devices/");
  const seconds = (from, to) => ((to - from) / 1_000).toFixed(1);
  const now = performance.now();
  return {
    next,
    down: `${seconds(began, now)} s down: stop ${seconds(began, stopped)} s, start ${seconds(stopped, now)} s`,
  };
}

/** Sends requests to every address until the returned function is called, which resolves to how many succeeded. */
function keepAsking(urls, key) {
  const end = new AbortController();
  const ask = async (url) => {
    let done = 0;
    for (; !end.signal.aborted; done++) {
      const { call } = createClient(url, key);
      try {
        await call("GET", "/fleet/recordings/?limit=5");
        await call("POST", "/fleet/devices/", { name: `asked ${url} ${done}`, type: "arm" });
      } catch (error) {
        faults.push(`while both served: ${error.message}`);
      }
    }
    return done;
  };
  const asking = urls.map(ask);
  return async () => {
    end.abort();
    return Promise.all(asking);
  };
}

const command = (checkout, more, ...args) =>
  run(process.execPath, ["dist/cli.mjs", ...args], { cwd: checkout, env: environment(0, more) });
const readNote = (name) => fs.readFileSync(path.join(dataDir, "postgres", name), "utf8").trim();

async function main() {
  await bootstrapOrExit("product");
  const version = options.from ?? (options.built ? options.built : findEarlier());
  if (version === null) return say("no earlier version has a tag: there is nothing to upgrade from");
  const before = options.built ? path.resolve(options.built) : buildEarlier(version);
  const port = await freePort();
  say(
    `from ${version} to ${command(root, {}, "--version").split("\n").join(", ")}; load ${os.loadavg()[0].toFixed(1)}`,
  );

  let old = await start(before, "all", port);
  const person = { email: "operator@example.com", password: "a long enough password" };
  const { api_key: key } = await createClient(old.url).call("POST", "/signup/", person, {});
  const client = createClient(old.url, key);
  await addData(client, "first");
  let data = await readData(client);
  say(`the earlier version has ${data.size} objects`);
  command(before, {}, "db", "backup", path.join(folder, "backup.tar"));

  // Processes of both on one database, as where several are replaced one by one.
  const applied = command(root, {}, "db", "migrate").split("\n").filter(Boolean);
  say(`${applied.length} migrations applied while the earlier version serves`);
  const DATABASE_URL = `postgresql://postgres:${readNote("password")}@127.0.0.1:${readNote("port")}/postgres`;
  const second = await freePort();
  const web = await start(root, "web", second, { DATABASE_URL });
  const worker = await start(root, "worker", second, { DATABASE_URL });
  const endAsking = keepAsking([old.url, web.url], key);
  await addData(createClient(web.url, key), "both-by-later");
  await addData(client, "both-by-earlier");
  const asked = await endAsking();
  say(`both served: ${asked.join(" and ")} pairs of requests`);
  data = await compare("the later version beside the earlier", createClient(web.url, key), data);
  data = await compare("the earlier version beside the later", client, data);
  await Promise.all([web.stop(), worker.stop()]);

  for (const [label, checkout] of [
    ["upgraded", root],
    ["rolled back", before],
    ["upgraded again", root],
  ]) {
    const { next, down } = await replaceBy(checkout, old, port, key);
    old = next;
    say(`${label}: ${down}; load ${os.loadavg()[0].toFixed(1)}`);
    data = await compare(label, client, data);
    await addData(client, label.replaceAll(" ", "-"));
    data = await readData(client);
  }
  command(root, {}, "files", "verify");
  say("every stored file has the bytes that were sent");
  await old.stop();
}

try {
  await main();
} catch (error) {
  faults.push(error.stack);
} finally {
  for (const child of running) child.kill("SIGTERM");
  await Promise.all([...running].map((child) => once(child, "exit")));
}
for (const fault of faults.slice(0, 20)) console.error(`upgrade: ${fault}`);
if (faults.length === 0) fs.rmSync(folder, { recursive: true });
else say(`failed; what it left is in ${folder}`);
process.exit(faults.length === 0 ? 0 : 1);
