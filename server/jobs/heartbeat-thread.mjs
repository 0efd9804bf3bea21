// Runs in its own thread, so that a worker busy decoding still beats. Plain JavaScript: threads load it without a compiler.
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";

const { connectionString, beatMs, deadAfterMs } = workerData;
const pools = new Set();
const database = new pg.Pool({ connectionString, max: 1 });
database.on("error", () => {});
database.on("connect", (client) => client.on("error", () => {}));

async function beat() {
  for (const id of pools) {
    await database.query(
      "insert into worker_heartbeats (pool_id, seen_at) values ($1, now()) on conflict (pool_id) do update set seen_at = now()",
      [id],
    );
  }
  // Jobs are locked under their pool's id: whoever notices a pool that stopped beating hands its jobs back.
  const { rows } = await database.query(
    "delete from worker_heartbeats where seen_at < now() - make_interval(secs => $1) returning pool_id",
    [deadAfterMs / 1000],
  );
  if (rows.length > 0) {
    const ids = rows.map((row) => row.pool_id);
    await database.query("select graphile_worker.force_unlock_workers($1)", [ids]);
    parentPort.postMessage({ released: ids });
  }
}

let stopping = false;
let running = Promise.resolve();
const tick = () => {
  running = running.then(beat).catch((error) => parentPort.postMessage({ error: String(error?.message ?? error) }));
};
const timer = setInterval(() => !stopping && tick(), beatMs);

parentPort.on("message", async (message) => {
  if (message.add) {
    pools.add(message.add);
    tick();
  } else if (message.stop) {
    stopping = true;
    clearInterval(timer);
    await running;
    await database.query("delete from worker_heartbeats where pool_id = any($1)", [[...pools]]).catch(() => {});
    await database.end();
    parentPort.postMessage({ stopped: true });
    parentPort.close();
  }
});
