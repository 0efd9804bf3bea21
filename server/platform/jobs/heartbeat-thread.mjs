// Runs in its own thread, so that a worker that is busy decoding still sends heartbeats. Plain JavaScript, because
// threads load it without a compiler.
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";

const { connectionString, processId, beatMs, deadAfterMs, keepMs, releaseLostJobs } = workerData;
const pools = new Set();
// Gives up well before other processes consider this one dead: the next heartbeat may succeed on a new connection.
const responseMs = deadAfterMs / 2;
const limits = { connectionTimeoutMillis: responseMs, query_timeout: responseMs };
const database = new pg.Pool({ connectionString, max: 1, keepAlive: true, ...limits });
database.on("error", () => {});
database.on("connect", (client) => client.on("error", () => {}));

const cleanEveryBeats = 30;
let beats = 0;

async function beat() {
  if (pools.size > 0) {
    await database.query(
      `insert into worker_heartbeats (pool_id, process_id, seen_at) select unnest($1::text[]), $2, now()
       on conflict (pool_id) do update set seen_at = now()`,
      [[...pools], processId],
    );
  }
  // Jobs are locked under their pool's id.
  const { rows } = await database.query(releaseLostJobs);
  // Kept for a while: they say of which process a pool was that left jobs.
  if (beats++ % cleanEveryBeats === 0) {
    await database.query("delete from worker_heartbeats where seen_at < now() - make_interval(secs => $1)", [
      keepMs / 1000,
    ]);
  }
  if (rows.length > 0) parentPort.postMessage({ released: rows.map((row) => row.locked_by) });
}

let stopping = false;
let running = Promise.resolve();
let queued = 0;
const tick = () => {
  if (queued > 1) return; // the waiting one includes all pools
  queued++;
  const report = (error) => parentPort.postMessage({ error: String(error?.message ?? error) });
  running = running
    .then(beat)
    .catch(report)
    .finally(() => queued--);
};
const timer = setInterval(() => !stopping && tick(), beatMs);

async function stop() {
  stopping = true;
  clearInterval(timer);
  await running;
  await database.query("delete from worker_heartbeats where pool_id = any($1)", [[...pools]]).catch(() => {});
  await database.end();
  parentPort.postMessage({ stopped: true });
  parentPort.close();
}

parentPort.on("message", (message) => {
  if (message.add) {
    pools.add(message.add);
    tick();
  } else if (message.stop) void stop();
});
