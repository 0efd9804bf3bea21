import pMap from "p-map";
import type { RunningEdit, StepOutcome, WaitingItem } from "@/server/features/bulk-edits/step";
import { unread } from "@/server/features/datasets/item-deletion-service";
import { joinSequences } from "@/server/features/datasets/sequencing-service";
import { getDatasetByUid, getPrefix, lockDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { bool, int8, type Native, nullable, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";

const row = {
  uid: text,
  key: text,
  is_pending: bool,
  is_present: bool,
  storage_key: text,
  thumbnail_key: nullable(text),
  size_bytes: int8,
};

/** How many files are copied concurrently. */
const concurrency = 4;

const present = "That dataset has an item of this name already.";

/** A file that was copied, with its thumbnail. */
export interface CopiedFile extends Native<typeof row> {
  error: string | null;
  storageKey: string;
}

/**
 * Copies the files of one step to where their items will be. The places follow from edit and item, so that another
 * attempt writes the same ones.
 */
export async function copyFiles(ctx: Ctx, edit: RunningEdit, waiting: readonly WaitingItem[]): Promise<CopiedFile[]> {
  const rows = await query(
    ctx,
    row,
    Prisma.sql`select i.uid, i.key, i.status = 'pending' as is_pending, i.storage_key, i.thumbnail_key, i.size_bytes,
        exists (select 1 from items o where o.dataset_id = ${edit.targetId} and o.key = i.key) as is_present
      from items i where i.dataset_id = ${edit.datasetId} and i.uid = any(${waiting.map(({ uid }) => uid)})`,
  );
  const target = await getDatasetByUid(ctx, edit.targetId ?? "");
  const prefix = await getPrefix(ctx, target, target.storage_config_uid);
  return pMap(
    rows,
    async (item) => {
      const storageKey = `${prefix}${edit.uid}-${item.uid}`;
      const error = item.is_pending ? unread : item.is_present ? present : await copyOne(item, storageKey);
      return { ...item, error, storageKey };
    },
    { concurrency },
  );
}

async function copyOne(item: Native<typeof row>, storageKey: string): Promise<string | null> {
  const store = objectStore();
  const source = await store.head(item.storage_key);
  if (!source) return "Its file is not in the storage any more.";
  await store.put(storageKey, await store.read(item.storage_key), source.sizeBytes);
  const thumbnail = item.thumbnail_key === null ? null : await store.head(item.thumbnail_key);
  if (thumbnail && item.thumbnail_key !== null)
    await store.put(`${storageKey}-thumbnail`, await store.read(item.thumbnail_key), thumbnail.sizeBytes);
  return null;
}

/** Creates the items of files that were copied; one whose name came in meanwhile is refused. */
export async function addCopies(tx: Ctx, edit: RunningEdit, files: readonly CopiedFile[]): Promise<StepOutcome[]> {
  const targetId = edit.targetId ?? "";
  await lockDataset(tx, targetId);
  const copied = files.filter(({ error }) => error === null).map((file) => ({ ...file, copy: uuidv7() }));
  const added = await query(
    tx,
    { uid: text },
    Prisma.sql`insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, thumbnail_key,
        size_bytes, recording_id, added_by_id, tint, sha256, updated_at)
      select v.copy, ${tx.organizationId}, ${targetId}, i.key, 'unattempted', i.media_type, i.metadata, v.storage_key,
        case when i.thumbnail_key is not null then v.storage_key || '-thumbnail' end, i.size_bytes, i.recording_id,
        ${edit.createdById}, i.tint, i.sha256, now()
      from unnest(${copied.map(({ uid }) => uid)}::text[], ${copied.map(({ copy }) => copy)}::text[],
        ${copied.map(({ storageKey }) => storageKey)}::text[]) as v(uid, copy, storage_key) join items i on i.uid = v.uid
      on conflict (dataset_id, key) do nothing returning uid`,
  );
  const made = new Set(added.map(({ uid }) => uid));
  await joinSequences(tx, targetId, [...made]);
  const madeFiles = copied.filter(({ copy }) => made.has(copy));
  await tx.db.dataset.update({
    where: { uid: targetId },
    data: {
      itemCount: { increment: madeFiles.length },
      sizeBytes: { increment: madeFiles.reduce((sum, file) => sum + file.size_bytes, 0n) },
    },
  });
  const refused = new Set(copied.filter(({ copy }) => !made.has(copy)).map(({ uid }) => uid));
  return files.map(({ uid, key, error }) => ({ uid, key, before: null, error: refused.has(uid) ? present : error }));
}

/** Deletes the files whose items were refused after all. */
export async function removeRefused(files: readonly CopiedFile[], outcomes: readonly StepOutcome[]): Promise<void> {
  const failed = new Set(outcomes.flatMap(({ uid, error }) => (error === null ? [] : [uid])));
  for (const file of files.filter(({ uid, error }) => error === null && failed.has(uid)))
    for (const key of [file.storageKey, `${file.storageKey}-thumbnail`]) await objectStore().delete(key);
}

/** Whether the dataset that items are copied to is still there. */
export async function hasTarget(ctx: Ctx, { targetId }: RunningEdit): Promise<boolean> {
  try {
    await getDatasetByUid(ctx, targetId ?? "");
    return true;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}
