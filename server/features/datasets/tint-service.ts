import pMap from "p-map";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { announceSoon } from "@/server/platform/realtime/changes";
import { notNull, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";

/** Later than anything that people wait for. */
const lowPriority = 100;
/** Datasets of one sweep, and items that are read together. */
const most = { datasets: 100, items: 100 } as const;
const concurrency = 2;
/** A small picture is never this large. */
const maxBytes = 4 * 1024 * 1024;

const isMissing = Prisma.sql`i.tint is null and i.thumbnail_key is not null`;

/**
 * Queues the datasets with pictures whose mean colour is not known, one after another. Returns how many. Both statements
 * read `items_without_tint_idx`.
 */
export async function sweepTints(): Promise<number> {
  const due = await query(
    { db: prisma },
    { dataset: text, organization: text },
    Prisma.sql`select distinct i.dataset_id as dataset, i.organization_id as organization from items i
      where ${isMissing} limit ${most.datasets}`,
  );
  for (const { dataset: datasetId, organization: organizationId } of due) {
    await enqueue(
      { db: prisma },
      jobs.fillTints,
      { organizationId, datasetId },
      { key: `datasets.fill-tints:${datasetId}`, queue: "tints", priority: lowPriority },
    );
  }
  return due.length;
}

/** Finds the mean colours of a dataset's pictures that have none; a picture that is gone or damaged is left as it is. */
export async function fillTints(
  { organizationId, datasetId }: { organizationId: string; datasetId: string },
  run: JobRun,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  // Imported on demand: most workers never need it.
  const { readTint } = await import("@/server/features/datasets/image");
  for (let after = ""; ;) {
    const items = await query(
      ctx,
      { uid: text, key: notNull(text) },
      Prisma.sql`select i.uid, i.thumbnail_key as key from items i
        where i.dataset_id = ${datasetId} and i.organization_id = ${organizationId} and ${isMissing} and i.uid > ${after}
        order by i.uid limit ${most.items}`,
    );
    const found = await pMap(items, async ({ uid, key }) => ({ uid, tint: await readStoredTint(key, readTint) }), {
      concurrency,
    }).catch((error: unknown) => {
      run.log.warn({ err: error, dataset: datasetId }, "pictures of a dataset cannot be read");
      return null;
    });
    // A bucket that is away may be back at the next sweep.
    if (found === null) return run.signal.throwIfAborted();
    const known = found.filter((each): each is { uid: string; tint: string } => each.tint !== null);
    if (known.length > 0) {
      await execute(
        ctx,
        Prisma.sql`update items i set tint = n.tint
          from unnest(${known.map(({ uid }) => uid)}::text[], ${known.map(({ tint }) => tint)}::text[]) n(uid, tint)
          where i.uid = n.uid and i.dataset_id = ${datasetId} and i.organization_id = ${organizationId} and i.tint is null`,
      );
      announceSoon(ctx, "dataset", datasetId, "updated");
    }
    const last = items.at(-1);
    if (!last) return;
    after = last.uid;
    run.signal.throwIfAborted();
  }
}

async function readStoredTint(key: string, readTint: (picture: Buffer) => Promise<string>): Promise<string | null> {
  const stored = await objectStore().head(key);
  if (!stored || stored.sizeBytes > maxBytes) return null;
  const bytes = Buffer.from(await objectStore().readBytes(key, 0, stored.sizeBytes));
  return readTint(bytes).catch(() => null);
}
