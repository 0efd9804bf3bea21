import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fleetSize } from "@/bench/fill-rows";
import type { FilledFleet } from "@/bench/fill-run";
import { report } from "@/bench/report";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { logFor } from "@/server/platform/log";

const sizes = { few: 30_000, many: Number(process.env.FILL_EVENTS ?? 3_000_000) };

/** Robots of the day that is computed, each with one recording of 100 MB: 1 TB. */
const robots = 10_000;

/** Bytes of a row that are bound: what an event has in its table and indexes, without its tags. */
const bounds: Readonly<Record<string, number>> = { events: 800 };

/** Fills fleets of both sizes on a database of its own, which nothing else uses. */
async function measureFleets(): Promise<FilledFleet[]> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "muster-fill-"));
  fs.chmodSync(dataDir, 0o711); // else the database, run as another user, would have to be put elsewhere
  const settings = {
    shared_buffers: "512MB",
    max_wal_size: "8GB",
    fsync: "off",
    full_page_writes: "off",
    autovacuum: "off",
  };
  const database = await openEmbeddedDatabase({ dataDir, log: logFor("bench"), settings });
  try {
    await migrateDatabase(database.url, logFor("bench"));
    const run = fork(path.join(import.meta.dirname, "fill-run.ts"), [sizes.few, sizes.many].map(String), {
      env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: dataDir, DATABASE_TIMEOUT_SECONDS: "60" },
    });
    const fleets: FilledFleet[] = [];
    run.on("message", (fleet) => fleets.push(fleet as FilledFleet));
    const [code] = (await once(run, "exit")) as [number | null];
    if (code !== 0) throw new Error(`the fill ended with ${code}`);
    return fleets;
  } finally {
    await database.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What lists, pages and counts read at the size given beside 30,000 events; bytes of a row; what a day takes. */
export async function benchFill(): Promise<void> {
  const [few, many] = await measureFleets();
  if (!few || !many) throw new Error("nothing was measured");
  for (const { name, pages, ms } of many.looks) {
    const small = few.looks.find((each) => each.name === name);
    if (!small) continue;
    const isKept = name === "counts of items by dataset";
    report({
      name: `${name} at ${many.events.toLocaleString("en")} events beside ${few.events.toLocaleString("en")}`,
      measured: pages,
      anchor: small.pages,
      unit: "pages",
      ratio: pages / small.pages,
      ...(isKept && { below: 1.3 }),
      note: `p50 ${ms.toFixed(1)} and ${small.ms.toFixed(1)} ms`,
    });
  }
  const size = fleetSize(many.events);
  let day = 0;
  for (const { table, rows, heap, indexes } of many.bytes) {
    const under = bounds[table];
    report({
      name: `bytes of a row of ${table}`,
      measured: heap + indexes,
      anchor: heap,
      unit: "B",
      ratio: (heap + indexes) / heap,
      ...(under !== undefined && { under }),
      note: `of them ${Math.round(indexes)} in indexes; the anchor is the table alone`,
    });
    if (table !== "devices") day += (heap + indexes) * (Number(rows) / size.recordings) * robots;
  }
  console.log(
    `A day of ${robots.toLocaleString("en")} devices, each with one recording as these: ${(day / 1e9).toFixed(2)} GB of rows.`,
  );
}
