import { createSignalFileNames } from "@/engine/signals/signal-file-name";
import type { SignalFileInfo } from "@/engine/signals/signals-writer";
import type { Spool } from "@/server/features/signals/spool";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";
import { storedJson, storedText } from "@/server/platform/stored-text";

interface StoredFile extends SignalFileInfo {
  key: string;
  etag: string;
}

/** The stored signals of a recording, or why there are none. */
export interface StoredSignals {
  /** What their keys begin with. */
  place: string;
  files: readonly StoredFile[];
  error: string | null;
}

/** Where the signals of a recording may lie: beside its files, or in the installation's own store. */
export function listSignalPlaces(prefix: string): [string, ...string[]] {
  const bucket = inBucket(prefix);
  return [`${prefix}signals/`, ...(bucket ? [`${bucket.key}signals/`] : [])];
}

/** Stores the files of a spool in the first of the places that takes them. */
export async function storeSignals(
  places: readonly string[],
  files: readonly SignalFileInfo[],
  spool: Spool,
  signal: AbortSignal,
): Promise<StoredSignals> {
  for (const [attempt, place] of places.entries()) {
    const getName = createSignalFileNames();
    const stored: StoredFile[] = [];
    try {
      for (const file of files) {
        signal.throwIfAborted();
        const key = `${place}${getName(file.topic)}`;
        const { etag } = await objectStore().put(key, await spool.read(file.topic), file.sizeBytes);
        stored.push({ ...file, key, etag });
      }
      return { place, files: stored, error: null };
    } catch (error) {
      // A bucket that is read-only refuses for good; one that is away is tried again later.
      if (attempt === places.length - 1 || !(isServiceError(error) && error.code === "invalid")) throw error;
      for (const { key } of stored) await objectStore().delete(key);
    }
  }
  throw new Error("no place for signals");
}

/** Writes the rows of stored signals in place of earlier ones, in the transaction of `tx`, which locks the recording. */
export async function saveSignals(tx: Ctx, recordingId: string, { place, files, error }: StoredSignals): Promise<void> {
  await execute(tx, Prisma.sql`delete from signal_files where recording_id = ${recordingId}`);
  const rows = files.map(({ topic, key, sizeBytes, rows: count, etag, fields }) => ({
    topic,
    storage_key: key,
    size_bytes: sizeBytes,
    row_count: count,
    etag,
    fields,
  }));
  await execute(
    tx,
    Prisma.sql`insert into signal_files (recording_id, topic, organization_id, storage_key, size_bytes, row_count, etag, fields)
      select ${recordingId}, f.topic, ${tx.organizationId}, f.storage_key, f.size_bytes, f.row_count, f.etag, f.fields
      from jsonb_to_recordset(${storedJson(rows)}::jsonb) as f(topic text, storage_key text, size_bytes bigint,
        row_count bigint, etag text, fields jsonb)
      on conflict do nothing`,
  );
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await execute(
    tx,
    Prisma.sql`insert into signal_sets (recording_id, organization_id, prefix, files, size_bytes, error, written_at)
      values (${recordingId}, ${tx.organizationId}, ${place}, ${files.length}::int, ${bytes}::bigint,
        ${error === null ? null : storedText(error)}, now())
      on conflict (recording_id) do update set prefix = excluded.prefix, files = excluded.files,
        size_bytes = excluded.size_bytes, error = excluded.error, written_at = excluded.written_at`,
  );
}
