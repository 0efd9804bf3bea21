import { setTimeout as delay } from "node:timers/promises";
import { partedTables, type PartedTable } from "@/server/features/health/parts-service";
import { lockProgress } from "@/server/features/health/progress-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { int4 } from "@/server/platform/rows";

/** Rows that one statement deletes about, devices that are looked up together, and how long a run takes at most. */
export const clearSteps = { rows: 1_000, devices: 100, runMs: 30_000 };

/** Deletes the oldest rows of a device. Resolves to how many; fewer than `clearSteps.rows` when none is left. */
const deleteOldest = (device: number, table: PartedTable): Promise<number> => {
  const name = Prisma.raw(table);
  return execute(
    { db: prisma },
    Prisma.sql`delete from ${name} where device = ${device}::int and at <= coalesce((select at from ${name}
      where device = ${device}::int order by at offset ${clearSteps.rows - 1}::int limit 1), 'infinity')`,
  );
};

/**
 * Clears what is kept of the heartbeats of deleted devices, in batches; a killed or stopped run is continued by the next.
 * Nobody can read it any more: it is found by the number of a device only. Resolves to the number of devices that are done.
 */
export async function clearDeleted(run: Pick<JobRun, "signal">): Promise<number> {
  const begun = performance.now();
  for (let done = 0; ;) {
    const devices = await query(
      { db: prisma },
      { device: int4 },
      Prisma.sql`select device from metric_clearings order by device limit ${clearSteps.devices}::int`,
    );
    if (devices.length === 0) return done;
    // Who makes rollups of a device that was there when they began has ended then, and others do not find it.
    await transaction({ db: prisma } satisfies OnDb, async (tx) => void (await lockProgress(tx)));
    for (const { device } of devices) {
      for (const table of partedTables) {
        for (let left = true; left;) {
          run.signal.throwIfAborted();
          if (performance.now() - begun > clearSteps.runMs) return done;
          const startedAt = performance.now();
          left = (await deleteOldest(device, table)) >= clearSteps.rows;
          // Others come first for half as long as it took.
          await delay((performance.now() - startedAt) / 2, undefined, { signal: run.signal });
        }
      }
      await execute({ db: prisma }, Prisma.sql`delete from metric_clearings where device = ${device}::int`);
      done += 1;
    }
  }
}
