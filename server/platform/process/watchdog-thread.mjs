// Runs in its own thread: serves the probes of a process, also while its main thread does not answer, and ends the
// process where that lasts. Plain JavaScript, because threads load it without a compiler.
import fs from "node:fs";
import http from "node:http";
import inspector from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Silence } from "./silence.mjs";

const { answers, limits, listen, connectionString, processId, role, logs } = workerData;
const silence = new Silence(limits.lookMs);
/** After which requests are no longer left to the main thread: less than the probes of Kubernetes wait. */
const waitMs = Math.min(3_000, limits.silentMs / 2);
/** After which it counts as dead for whoever restarts it, also where it uses no processor time. */
const deadMs = 5 * limits.silentMs;
/** For noting in the database why the process ends. */
const noteMs = 3_000;
/** For the end of the process after its signal. */
const endMs = 1_000;
let ending = false;
let cannotEnd = false;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  silence.look({ answers: Atomics.load(answers, 0), now: performance.now(), cpuMs: (user + system) / 1_000 });
  if (silence.silentMs >= waitMs) for (const response of waiting.values()) answerDeaf(response);
  if (!ending && silence.silentMs >= limits.silentMs && silence.cpuMs >= limits.cpuMs) void end();
}, limits.lookMs);

const seconds = (ms) => Math.round(ms / 100) / 10;

async function end() {
  ending = true;
  const found = { silent_seconds: seconds(silence.silentMs), cpu_seconds: seconds(silence.cpuMs) };
  const line = { level: "fatal", time: new Date().toISOString(), pid: process.pid, part: "watchdog", ...found };
  // Not by the log, which writes in the main thread.
  const text = `${JSON.stringify({ ...line, msg: "the main thread does not answer; the process is ended" })}\n`;
  try {
    if (logs) fs.writeSync(1, text);
  } catch {}
  await Promise.race([note().catch(() => {}), sleep(noteMs)]);
  process.kill(process.pid, "SIGKILL");
  // The first process of a container is spared its own signal, and can only leave by itself.
  await sleep(endMs);
  const session = new inspector.Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: "process.reallyExit(137)" });
  await sleep(endMs);
  cannotEnd = true;
}

/** Notes the end, and makes the heartbeats of this process old, so that its jobs are released at once. */
async function note() {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: noteMs, query_timeout: noteMs });
  client.on("error", () => {});
  await client.connect();
  await client.query(
    `with noted as (insert into deaf_processes (process_id, role, ended_at) values ($1, $2, now()) on conflict do nothing)
     update worker_heartbeats set seen_at = now() - interval '1 minute' where process_id = $1`,
    [processId, role],
  );
}

/** Responses that the main thread has not given yet, by their ids. */
const waiting = new Map();
let lastId = 0;

function send(response, { status, headers, body }) {
  waiting.delete(response.id);
  if (!response.headersSent) response.writeHead(status, headers).end(body);
}

/** Whoever waits for the main thread learns that it does not answer. /healthz fails only where somebody else has to act. */
function answerDeaf(response) {
  const isAlive = response.path === "/healthz" && !cannotEnd && silence.silentMs < deadMs;
  const body = isAlive
    ? { status: "ok" }
    : { status: "not ready", checks: { process: "deaf" }, deaf_seconds: seconds(silence.silentMs) };
  const headers = { "content-type": "application/json", "cache-control": "no-store", "retry-after": "1" };
  send(response, { status: isAlive ? 200 : 503, headers, body: JSON.stringify(body) });
}

const options = { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 65_000 };
const server = http.createServer(options, (request, response) => {
  request.resume();
  response.setHeader("x-content-type-options", "nosniff");
  response.id = ++lastId;
  response.path = (request.url ?? "/").split("?", 1)[0]?.replace(/(.)\/$/, "$1") ?? "/";
  if (silence.silentMs >= waitMs) return answerDeaf(response);
  waiting.set(response.id, response);
  response.once("close", () => waiting.delete(response.id));
  const { method, headers } = request;
  const probe = { method, path: response.path, authorization: headers.authorization };
  parentPort.postMessage({ id: response.id, probe });
});

parentPort.on("message", ({ id, answer }) => {
  const response = waiting.get(id);
  if (!response) return;
  if (answer) send(response, answer);
  else response.destroy();
});

if (listen) {
  server.once("error", (error) => parentPort.postMessage({ refused: error.message }));
  server.listen(listen.port, listen.host, () => parentPort.postMessage({ address: server.address() }));
} else parentPort.postMessage({ address: null });
