import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listChildren, until, type Product } from "@/bench/product";
import { proveOutage, type Outage } from "@/faults/outage";
import type { FaultRun } from "@/faults/run";
import { promise } from "@/faults/verdict";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { int4, queryRows, text } from "@/server/platform/rows";

const suspendedMs = 60_000;
const awayMs = 15_000;
const cutSeconds = 60;

/** Signals a process unless it has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}

function requirePid(product: Product, part: "database" | "supervisor"): number {
  const pid = product.pids()[part];
  if (pid === null) throw new Error(`there is no ${part}`);
  return pid;
}

/** Suspends the database's server with all its sessions: connections stay open and nothing responds. */
export const proveSuspend = (run: FaultRun): Promise<void> =>
  proveOutage(run, async (product) => {
    const server = requirePid(product, "database");
    signal(server, "SIGSTOP"); // first, so that it starts no more sessions
    const sessions = listChildren(server).map(({ pid }) => pid);
    for (const pid of sessions) signal(pid, "SIGSTOP");
    const suspended = performance.now();
    await sleep(suspendedMs);
    for (const pid of [...sessions, server]) signal(pid, "SIGCONT");
    return [suspended];
  });

/** Stops the database three times without a checkpoint. The supervisor, which would start it at once, is suspended. */
export const proveAway = (run: FaultRun): Promise<void> =>
  proveOutage(run, async (product) => {
    const stops: number[] = [];
    for (let round = 0; round < 3; round++) {
      const supervisor = requirePid(product, "supervisor");
      const server = requirePid(product, "database");
      signal(supervisor, "SIGSTOP");
      signal(server, "SIGQUIT");
      stops.push(performance.now());
      await sleep(awayMs);
      signal(supervisor, "SIGCONT");
      const continued = performance.now();
      await until("the database's return", 60, async () => (await fetch(`${product.url}/readyz`)).status === 200);
      console.log(
        `       ready again ${((performance.now() - continued) / 1_000).toFixed(1)} s after its start was allowed`,
      );
      if (round < 2) await sleep(run.chance.between(10_000, 20_000));
    }
    return stops;
  });

/** Ends every session of the database each second. */
export const proveCut = (run: FaultRun): Promise<void> =>
  proveOutage(
    run,
    async ({ databaseUrl }) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const cuts: number[] = [];
      let sessions = 0;
      try {
        while (cuts.length < cutSeconds) {
          const next = sleep(1_000);
          const [ended] = await queryRows(
            client,
            { count: int4 },
            `select count(pg_terminate_backend(pid))::int from pg_stat_activity
             where backend_type = 'client backend' and pid <> pg_backend_pid()`,
          );
          cuts.push(performance.now());
          sessions += ended?.count ?? 0;
          await next;
        }
      } finally {
        await client.end();
      }
      console.log(`       ${sessions} sessions were ended`);
      return cuts;
    },
    verifyAfterCuts,
  );

/** Two intervals of the cleaner. */
const cleanedSeconds = 120;

async function verifyAfterCuts({ product, exchanges }: Outage): Promise<void> {
  const reads = exchanges.filter(({ method, path }) => method === "GET" && path !== "/healthz");
  const writes = exchanges.filter(({ method }) => method !== "GET");
  const share = (list: typeof reads) => `${list.filter(({ status }) => status === 503).length} of ${list.length}`;
  console.log(`       while sessions were ended, 503 had ${share(reads)} reads and ${share(writes)} writes`);
  const recurring = Object.values(jobs).flatMap(({ name, recurring: isRecurring }) => (isRecurring ? [name] : []));
  const exhausted = () =>
    queryRows(
      product.database,
      { task: text },
      `select j.task from ${queueJobs} j where j.exhausted and j.task = any($1)`,
      [recurring],
    );
  await until("the removal", cleanedSeconds, async () => (await exhausted()).length === 0).catch(() => {});
  promise(
    "no recurring job without attempts is left",
    (await exhausted()).map(({ task }) => task),
  );
}
