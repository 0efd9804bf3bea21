import { createHash } from "node:crypto";
import { SharedSets } from "@/engine/formats/indexed-file";
import { decodePack } from "@/engine/formats/packed-recording";
import { listReadFiles } from "@/server/features/recordings/file-service";
import { withRecording } from "@/server/features/recordings/message-service";
import { findRecording } from "@/server/features/recordings/service";
import { pack, unpack } from "@/server/features/stored-series/packed-series";
import type { Ctx } from "@/server/platform/context";
import { Prisma, type StoredFile } from "@/server/platform/database/generated/client";
import { executeBytes, query } from "@/server/platform/db";
import { bytea } from "@/server/platform/rows";

/** What a page needs to read the messages of a recording itself. */
export interface RecordingPack {
  /** Where the chunks lie and what they hold (engine/formats/packed-recording.ts), as base64. */
  pack: string;
  /** The files that the pack names. `version` changes with a file's content. */
  files: { uid: string; size_bytes: number; version: string }[];
  /** The range of the recording in nanoseconds, as decimal strings: messages outside it are outliers. */
  start_ns: string;
  end_ns: string;
}

/** Tells one content of a file from the next, in addresses. */
const toVersion = ({ storageKey, etag }: StoredFile): string =>
  createHash("sha256")
    .update(`${storageKey} ${etag ?? ""}`)
    .digest("base64url")
    .slice(0, 22);

/** Replaces what is known of the chunks of a recording; nothing for one that was deleted meanwhile. */
export async function replacePack(tx: Ctx, recordingId: string, bytes: Uint8Array): Promise<void> {
  const data = await pack(bytes);
  await executeBytes(
    tx,
    Prisma.sql`insert into recording_packs (recording_id, data)
      select uid, ${data}::bytea from recordings where uid = ${recordingId}
      on conflict (recording_id) do update set data = excluded.data`,
  );
}

/** The stored pack; null when there is none, or one of another version or other files. */
async function findPack(ctx: Ctx, recordingId: string, files: readonly StoredFile[]): Promise<Uint8Array | null> {
  const [row] = await query(
    ctx,
    { data: bytea },
    Prisma.sql`select data from recording_packs where recording_id = ${recordingId}`,
  );
  if (!row) return null;
  const bytes = await unpack(row.data);
  const packed = decodePack(bytes, new SharedSets());
  const known = new Set(files.map(({ uid }) => uid));
  return packed?.every(({ id }) => known.has(id)) ? bytes : null;
}

/** Makes the pack of a recording that was processed before packs were kept. */
async function makePack(ctx: Ctx, recordingId: string): Promise<Uint8Array> {
  const bytes = await withRecording(ctx, recordingId, async (reader) => {
    await reader.summary(); // finds what is wrong with an index
    return reader.pack();
  });
  await replacePack(ctx, recordingId, bytes);
  return bytes;
}

/** The pack of a recording with the files that it names; made where there is none. Throws as `openPack`. */
export async function loadPack(ctx: Ctx, uid: string): Promise<{ bytes: Uint8Array; files: StoredFile[] }> {
  const files = await listReadFiles(ctx, uid);
  return { bytes: (await findPack(ctx, uid, files)) ?? (await makePack(ctx, uid)), files };
}

/**
 * What a page needs to read a recording itself. Throws `not_found`, `invalid([])` for files that cannot be read and
 * `unavailable` when that takes too long.
 */
export async function openPack(ctx: Ctx, uid: string): Promise<RecordingPack> {
  const recording = await findRecording(ctx, uid);
  const { bytes, files } = await loadPack(ctx, uid);
  return {
    pack: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    files: files.map((file) => ({ uid: file.uid, size_bytes: Number(file.sizeBytes), version: toVersion(file) })),
    start_ns: String(recording.start_ns ?? 0),
    end_ns: String(recording.end_ns ?? 0),
  };
}

/** A file of a recording (`?file=`), for pages; null when there is none. */
export async function findRecordingMedia(ctx: Ctx, recordingId: string, search: URLSearchParams) {
  const file = await ctx.db.storedFile.findFirst({
    where: {
      uid: search.get("file") ?? "",
      recordingId,
      organizationId: ctx.organizationId,
      confirmedAt: { not: null },
    },
  });
  return file && { key: file.storageKey, size: Number(file.sizeBytes), version: toVersion(file) };
}
