import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { ExportFormat } from "@/domain/exports/formats";
import { describeNothing } from "@/domain/exports/nothing";
import { defaultSplit, type ExportContents, ExportSplit, toShares } from "@/domain/exports/schema";
import { exportWriters } from "@/server/features/exports/formats";
import { finishExport } from "@/server/features/exports/queue-service";
import { countItems, selectedDatasets } from "@/server/features/exports/selection-queries";
import { chosenBucket } from "@/server/features/storage-configs/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { isServiceError } from "@/server/platform/errors";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { announceSoon } from "@/server/platform/realtime/changes";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace, spaceGuard } from "@/server/platform/storage/disk-space";
import { toWebStream } from "@/server/platform/storage/web-stream";

const unexpectedError = "The export failed for an unexpected reason. Try it again.";

/** Thrown in a run whose export was aborted or deleted meanwhile. */
class ExportAborted extends Error {}

/** Thrown when an export would hold no item; the message is shown to users. */
class NothingToExport extends Error {}

/** Runs an export until it is `exported` or `failed`. Another attempt starts from the beginning. */
export async function runExport(organizationId: string, uid: string, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "exports");
  const folder = path.join(env.DATA_DIR, "tmp", `export-${uid}`);
  try {
    // Deletes what an attempt of a killed worker left.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireSpace(folder, 0);
    const file = path.join(folder, `attempt-${run.attempt.attempt}`);
    const contents = await write(ctx, uid, file, run.signal);
    if (contents.items === 0) throw new NothingToExport(describeNothing(contents.losses));
    const { size } = await stat(file);
    const storageKey = `${await getBucketId(ctx, uid)}exports/${organizationId}/${uid}`;
    const hash = createHash("sha256");
    const bytes = Readable.from(hashed(createReadStream(file), hash));
    await objectStore().put(storageKey, toWebStream(bytes), size);
    const recorded = await transaction(ctx, async (tx) => {
      await fence(tx, run.attempt);
      const sha256 = hash.digest("hex");
      return finishExport(tx, uid, { storageKey, sizeBytes: BigInt(size), sha256, contents });
    });
    if (!recorded) await objectStore().delete(storageKey);
  } catch (error) {
    if (error instanceof ExportAborted) return;
    if (error instanceof AttemptSuperseded || run.signal.aborted) throw error;
    // Another attempt would find nothing either.
    const isNothing = error instanceof NothingToExport;
    if (!isNothing && !run.lastAttempt) throw error;
    if (!isNothing) run.log.error({ err: error, export: uid }, "an export failed in its last attempt");
    const reason = isNothing ? error.message : isServiceError(error) ? error.text() : unexpectedError;
    await transaction(ctx, (tx) => finishExport(tx, uid, { error: reason }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails an export that takes the worker down, without another attempt. */
export async function refuseExport(organizationId: string, uid: string, run: JobRun): Promise<void> {
  await transaction(systemContext(prisma, organizationId, "exports"), async (tx) => {
    await fence(tx, run.attempt);
    await finishExport(tx, uid, { error: "Making it took the worker down." });
  });
}

/** Passes bytes on and adds them to the hash, so that it is that of what was stored. */
async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

async function getBucketId(ctx: Ctx, uid: string): Promise<string> {
  const row = await ctx.db.export.findUnique({ where: { uid }, select: { storageConfigId: true } });
  return chosenBucket(ctx, row?.storageConfigId);
}

async function write(ctx: Ctx, uid: string, file: string, signal: AbortSignal): Promise<ExportContents> {
  const row = await ctx.db.export.findFirst({ where: { uid, organizationId: ctx.organizationId } });
  if (row?.status !== "exporting") throw new ExportAborted();
  const selection = { ...row, shares: row.split === null ? defaultSplit : toShares(ExportSplit.parse(row.split)) };
  const datasets = await selectedDatasets(ctx, selection);
  await ctx.db.export.update({
    where: { uid },
    data: { totalTaskCount: await countItems(ctx, datasets), exportedTaskCount: 0, startedAt: databaseNow() },
  });
  announceSoon(ctx, "export", uid, "updated");
  let exported = 0;
  const checkSpace = spaceGuard(file);
  const onProgress = async (items: number) => {
    signal.throwIfAborted();
    await checkSpace();
    exported += items;
    const { count } = await prisma.export.updateMany({
      where: { uid, status: "exporting" },
      data: { exportedTaskCount: exported },
    });
    if (count === 0) throw new ExportAborted();
    announceSoon(ctx, "export", uid, "updated");
  };
  const info = {
    name: row.name,
    created_at: row.createdAt.toISOString(),
    format: row.format,
    filter_query_string: row.filter,
  };
  return exportWriters[row.format as ExportFormat].write(file, { ctx, info, selection, datasets, onProgress });
}
