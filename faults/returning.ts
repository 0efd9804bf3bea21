import { setTimeout as sleep } from "node:timers/promises";
import { addOfflineFleet, devices, sendHeartbeats } from "@/bench/fleet";
import { type Product, startProduct } from "@/bench/product";
import { keepLog, promise } from "@/faults/verdict";
import { int4, queryRows } from "@/server/platform/rows";

const overSeconds = 60;
const onlineWithinSeconds = 60;
const p99Limit = 3;

/** Heartbeats that a device kept while it was away: half an hour of them. */
const kept = 60;

/** Lets a fleet of 10,000 offline devices return within a minute: with a heartbeat each, then with what they kept. */
export async function proveReturning(): Promise<void> {
  for (const each of [0, kept]) await letReturn(each);
}

/** How many devices came online. One that sends nothing more, as here, is offline again after 90 s. */
async function countReturned({ database }: Product): Promise<number> {
  const [returned] = await queryRows(
    database,
    { count: int4 },
    "select count(distinct device_id)::int as count from device_status_changes where status = 'online'",
  );
  return returned?.count ?? 0;
}

async function letReturn(each: number): Promise<void> {
  const product = await startProduct();
  try {
    const tokens = await addOfflineFleet(product);
    // Throws at any other status.
    const { times, statuses, seconds } = await sendHeartbeats(product, tokens, overSeconds, each);
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    const what = each > 0 ? `batches of ${each} heartbeats` : "heartbeats";
    promise(`${times.length} ${what} got 200, 429 or 503: ${counts.join(", ")}`, []);
    const p99 = (times[Math.floor(times.length * 0.99)] ?? 0) / 1_000;
    const longest = (times.at(-1) ?? 0) / 1_000;
    promise(
      `their p99 was ${p99.toFixed(2)} s, the longest ${longest.toFixed(2)} s; p99 may be ${p99Limit} s`,
      p99 < p99Limit ? [] : [`${p99.toFixed(2)} s`],
    );
    const late = Math.max(0, seconds - overSeconds);
    for (const end = performance.now() + (onlineWithinSeconds - late) * 1_000; performance.now() < end;) {
      if ((await countReturned(product)) === devices) break;
      await sleep(500);
    }
    const online = await countReturned(product);
    promise(
      `all ${devices} devices were acknowledged ${late.toFixed(1)} s after the last was due, and came online within ` +
        `${onlineWithinSeconds} s`,
      online === devices && late <= onlineWithinSeconds ? [] : [`${online} came online`],
    );
  } finally {
    keepLog(product.log);
    await product.stop();
  }
}
