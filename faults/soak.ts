import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readMemory } from "@/bench/processing";
import { startProduct, type Product } from "@/bench/product";
import { makeFleet } from "@/faults/fleet";
import { startLoad } from "@/faults/load";
import { quiet } from "@/faults/quiet";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { signIn } from "@/faults/sign-in";
import { promise } from "@/faults/verdict";
import { startVisitors } from "@/faults/visitors";
import { float8, queryRows, text } from "@/server/platform/rows";

/** How much larger the last quarter may be than the second. */
const growth = 1.15;
const everyMs = 10_000;
/** Megabytes of JavaScript objects in each process: with more, garbage stays for long and hides what grows. */
const heapMb = 400;

const figures = ["web MB", "web descriptors", "worker MB", "worker descriptors"] as const;
type Sample = Record<(typeof figures)[number], number>;

function measure(product: Product): Sample {
  const { web, worker } = product.pids();
  const memory = (pid: number | null) => (pid === null ? 0 : readMemory(pid, "VmRSS"));
  const descriptors = (pid: number | null) => (pid === null ? 0 : fs.readdirSync(`/proc/${pid}/fd`).length);
  return {
    "web MB": memory(web),
    "web descriptors": descriptors(web),
    "worker MB": memory(worker),
    "worker descriptors": descriptors(worker),
  };
}

/** Estimated rows of the tables that have some, the largest first. */
async function listRows({ database }: Product): Promise<string> {
  const tables = await queryRows(
    database,
    { name: text, rows: float8 },
    `select relname::text as name, n_live_tup::float8 as rows from pg_stat_user_tables
     where n_live_tup > 0 order by n_live_tup desc, relname`,
  );
  return tables.map(({ name, rows }) => `${name} ${rows}`).join(", ");
}

const mean = (samples: readonly Sample[], figure: (typeof figures)[number]): number =>
  samples.reduce((sum, sample) => sum + sample[figure], 0) / Math.max(1, samples.length);

/** Loads the product for a long time: its memory and its open files must not grow. */
export async function proveSoak({ folder, minutes, chance, at }: FaultRun): Promise<void> {
  const recordings = await makeRecordings(folder, 12);
  const receiver = await startAlertReceiver();
  const product = await startProduct({ NODE_OPTIONS: `--max-old-space-size=${heapMb}` });
  try {
    const fleet = await makeFleet(product, receiver.url, 4);
    const before = product.pids();
    const load = startLoad(product, fleet, recordings, chance, 2_000);
    const visitors = startVisitors(product, fleet, await signIn(product), chance);
    const samples: Sample[] = [];
    const total = Math.round((minutes * 60_000) / everyMs);
    for (let n = 1; n <= total; n++) {
      await sleep(everyMs);
      const sample = measure(product);
      samples.push(sample);
      if ((n * everyMs) % 60_000 !== 0) continue;
      console.log(`${at()}  ${figures.map((figure) => `${figure} ${sample[figure].toFixed(0)}`).join(", ")}`);
      console.log(`           ${await listRows(product)}`);
    }
    await Promise.all([load.stop(), visitors.stop()]);
    const quarter = Math.floor(total / 4);
    for (const figure of figures) {
      const [second, last] = [mean(samples.slice(quarter, 2 * quarter), figure), mean(samples.slice(-quarter), figure)];
      promise(
        `${figure}: ${second.toFixed(0)} in the second quarter, ${last.toFixed(0)} in the last`,
        last <= growth * second ? [] : [`that is ${(last / second).toFixed(2)} times as much`],
      );
    }
    promise("no upload was given up, and no request refused", load.ledger.complaints);
    const now = product.pids();
    promise(
      "neither web nor worker ended",
      (["web", "worker"] as const).filter((part) => before[part] !== now[part]).map((part) => `${part} was replaced`),
    );
    promise("all jobs, recordings and messages are finished", await quiet(product, 300));
  } finally {
    await product.stop();
    await receiver.close();
  }
}
