import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { ownStore } from "@/server/platform/storage/own";
import type { OwnStore } from "@/server/platform/storage/own-store";

const batchSize = 500;

/** Those of these keys whose upload may still continue. */
async function findOpen(keys: readonly string[]): Promise<Set<string>> {
  const rows = await query(
    { db: prisma },
    { key: text },
    Prisma.sql`select f.storage_key as key from stored_files f join upload_sessions s on s.uid = f.session_id
      where f.storage_key = any(${keys}) and f.confirmed_at is null and s.status = 'active'
      union all select storage_key from robot_descriptions where storage_key = any(${keys}) and status = 'uploading'
      union all select storage_key from annotation_imports where storage_key = any(${keys}) and status = 'uploading'`,
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Removes the received bytes of uploads that received nothing since `before` and whose session is over, or that replaced
 * a confirmed file too late. Objects are never removed. Resolves to the number of keys.
 */
export async function removeLeftovers(
  before: Date,
  signal: AbortSignal,
  store: OwnStore = ownStore(),
): Promise<number> {
  let removed = 0;
  let batch = new Set<string>();
  const remove = async () => {
    const open = await findOpen([...batch]);
    for (const key of batch) {
      if (open.has(key)) continue;
      await store.discard(key);
      removed += 1;
    }
    batch = new Set();
  };
  for await (const { key } of store.listUnfinished(before)) {
    if (signal.aborted) return removed;
    batch.add(key);
    if (batch.size === batchSize) await remove();
  }
  await remove();
  return removed;
}
