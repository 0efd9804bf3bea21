import { RecordingError } from "@/engine/formats/recording-error";
import { readFrames, type FoundFrames, type Frame } from "@/server/features/filmstrips/reading";
import type { FilmCamera } from "@/server/features/filmstrips/resource";
import { listCameras } from "@/server/features/filmstrips/service";
import { withByteSources } from "@/server/features/recordings/file-service";
import { toFilmPrefix } from "@/server/features/recordings/film-prefix";
import { loadPack } from "@/server/features/recordings/pack-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue, fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { removeStored, unlessBackup } from "@/server/platform/storage/removal";
import { ObjectMissing } from "@/server/platform/storage/store";
import { storedJson } from "@/server/platform/stored-text";
import { uuidv7 } from "@/server/platform/uid";

/** What is to be saved of a recording. */
interface Made {
  storageKey: string | null;
  sizeBytes: number;
  cameras: FilmCamera[];
  error: string | null;
}

const nothing: Made = { storageKey: null, sizeBytes: 0, cameras: [], error: null };

/**
 * Makes the small pictures of a recording's cameras: one object in the installation's own store, so that pages read them
 * even where a bucket is away. Idempotent: an attempt that was killed is done again under another key, and what it left
 * goes with the recording's prefix when the next one begins. Throws when the job should be retried.
 */
export async function makeFilmstrip(
  { organizationId, recordingId }: { organizationId: string; recordingId: string },
  run: JobRun,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const recording = await prisma.recording.findFirst({
    where: { uid: recordingId, organizationId },
    select: { processedAt: true, startNs: true, endNs: true, filmstrip: { select: { madeAt: true } } },
  });
  if (!recording?.processedAt) return;
  const { processedAt, startNs, endNs, filmstrip } = recording;
  if (filmstrip && filmstrip.madeAt >= processedAt) return;
  // What an earlier attempt left, and what belonged to the files before.
  if (!filmstrip) await removeStored(toFilmPrefix(organizationId, recordingId)).catch(unlessBackup);
  const range = { start: startNs ?? 0n, end: endNs ?? 0n };
  const made = await make(ctx, recordingId, range, run);
  await save(ctx, recordingId, made, run);
}

/** Notes why a recording has no small pictures, without reading it. */
export async function refuseFilmstrip(
  { organizationId, recordingId }: { organizationId: string; recordingId: string },
  run: JobRun,
  error: string,
): Promise<void> {
  await save(systemContext(prisma, organizationId), recordingId, { ...nothing, error }, run);
}

async function make(ctx: Ctx, recordingId: string, range: { start: bigint; end: bigint }, run: JobRun): Promise<Made> {
  const topics = await listCameras(ctx, recordingId);
  if (topics.length === 0) return nothing;
  let found: FoundFrames | null;
  try {
    const { bytes } = await loadPack(ctx, recordingId);
    found = await withByteSources(ctx, recordingId, (files) => readFrames(bytes, files, { range, topics }, run.signal));
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ObjectMissing || error instanceof RecordingError || isServiceError(error))) throw error;
    run.log.warn({ err: error, recording: recordingId }, "small pictures of cameras could not be made");
    return { ...nothing, error: error instanceof RecordingError ? error.message : "Its files could not be read." };
  }
  const { cameras, parts } = join(found?.frames ?? new Map());
  cameras.push(
    ...(found?.undecoded ?? []).map((topic) => ({ topic, frames: [], reason: "The server has no ffmpeg." })),
  );
  if (parts.length === 0) return { ...nothing, cameras };
  const blob = new Blob(parts);
  const storageKey = `${toFilmPrefix(ctx.organizationId, recordingId)}${uuidv7()}`;
  await objectStore().put(storageKey, blob.stream(), blob.size);
  return { storageKey, sizeBytes: blob.size, cameras, error: null };
}

/** All pictures one after another, by camera and time, and where each lies. */
function join(found: ReadonlyMap<string, Frame[]>): { cameras: FilmCamera[]; parts: Uint8Array<ArrayBuffer>[] } {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  const cameras = [...found].map(([topic, frames]): FilmCamera => ({
    topic,
    frames: frames
      .toSorted((a, b) => (a.time < b.time ? -1 : 1))
      .map(({ time, bytes }) => {
        const frame = { time_ns: String(time), offset, length: bytes.length };
        parts.push(Uint8Array.from(bytes));
        offset += bytes.length;
        return frame;
      }),
  }));
  return { cameras, parts };
}

/** Saves what was made, unless another worker took over. What it takes the place of is removed once no backup needs it. */
async function save(
  ctx: Ctx,
  recordingId: string,
  { storageKey, sizeBytes, cameras, error }: Made,
  run: JobRun,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const locked = await query(
      tx,
      { uid: text },
      Prisma.sql`select uid from recordings where uid = ${recordingId} and organization_id = ${ctx.organizationId} for share`,
    );
    if (locked.length === 0) {
      await enqueue(tx, jobs.deleteStoredObjects, { prefix: toFilmPrefix(ctx.organizationId, recordingId) });
      return;
    }
    const { organizationId } = ctx;
    const earlier = await tx.db.filmstrip.findUnique({
      where: { recordingId, organizationId },
      select: { storageKey: true },
    });
    await execute(
      tx,
      Prisma.sql`insert into filmstrips (recording_id, organization_id, storage_key, size_bytes, cameras, error, made_at)
        values (${recordingId}, ${ctx.organizationId}, ${storageKey}, ${sizeBytes}::bigint,
          ${storedJson(cameras)}::jsonb, ${error}, now())
        on conflict (recording_id) do update set storage_key = excluded.storage_key, size_bytes = excluded.size_bytes,
          cameras = excluded.cameras, error = excluded.error, made_at = excluded.made_at`,
    );
    // Pages that show the recording look again.
    if (storageKey !== null) await announce(tx, "recording", recordingId, "updated");
    const replaced = earlier?.storageKey ?? null;
    if (replaced !== null) await enqueue(tx, jobs.deleteStoredKeys, { keys: [replaced] });
  });
}
