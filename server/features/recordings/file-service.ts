import pMap from "p-map";
import { getDefinitionFormat } from "@/domain/message-definitions/type-name";
import { getDb3Beside, isBagDescription } from "@/domain/recordings/file-names";
import { DefinitionCompleter, type Definitions } from "@/engine/decode/definitions";
import type { ByteSource } from "@/engine/formats/byte-source";
import { readFound } from "@/server/features/message-definitions/recording-service";
import { serializeFile, type RecordingFile } from "@/server/features/recordings/resource";
import type { Ctx } from "@/server/platform/context";
import type { StoredFile } from "@/server/platform/database/generated/client";
import { env } from "@/server/platform/env";
import { notFound } from "@/server/platform/errors";
import { checkContent } from "@/server/platform/storage/content-check";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { inBucket } from "@/server/platform/storage/keys";
import { storeConcurrency, type OpenObject } from "@/server/platform/storage/store";
import type { TagThread } from "@/server/platform/storage/tag-check";

/** How long a link to download a file is good for. */
export const linkSeconds = 3_600;

const confirmedFiles = (ctx: Ctx, recordingId: string): Promise<StoredFile[]> =>
  ctx.db.storedFile.findMany({
    where: { recordingId, organizationId: ctx.organizationId, confirmedAt: { not: null } },
    orderBy: [{ position: "asc" }, { uid: "asc" }],
  });

/**
 * The files of a recording in the order the uploader named them, with download links for confirmed ones. Throws
 * `not_found`.
 */
export async function listFiles(ctx: Ctx, recordingId: string): Promise<RecordingFile[]> {
  const recording = await ctx.db.recording.findFirst({
    where: { uid: recordingId, organizationId: ctx.organizationId },
    select: { files: { orderBy: [{ position: "asc" }, { uid: "asc" }] } },
  });
  if (!recording) throw notFound();
  const store = objectStore();
  return Promise.all(
    recording.files.map(async (file) => {
      const target = { key: file.storageKey, fileName: displayName(file.path), by: ctx.actor, ttlSeconds: linkSeconds };
      return serializeFile(file, file.confirmedAt ? await store.downloadUrl(target) : null);
    }),
  );
}

/** Whether the upload is complete and all of its files are still stored. */
export async function filesExist(ctx: Ctx, recordingId: string): Promise<boolean> {
  const session = await ctx.db.uploadSession.findFirst({
    where: { recordingId, organizationId: ctx.organizationId, status: "finalized" },
    select: { uid: true },
  });
  if (!session) return false;
  const files = await confirmedFiles(ctx, recordingId);
  const found = await pMap(files, async (file) => (await objectStore().head(file.storageKey)) !== null, {
    concurrency: storeConcurrency,
  });
  return found.every(Boolean);
}

/**
 * The name of the first file whose stored bytes are not those that were uploaded; null when there is none. A bucket
 * checks its bytes itself, so there it compares tags, and bytes only when these differ. `thread` reads large files.
 */
export async function findDamagedFile(
  ctx: Ctx,
  recordingId: string,
  { signal, thread }: { signal: AbortSignal; thread: TagThread | null },
): Promise<string | null> {
  for (const { storageKey: key, etag, sizeBytes, path } of await confirmedFiles(ctx, recordingId)) {
    const trusted = env.STORAGE !== "disk" || inBucket(key) !== null;
    const file = { key, etag, sizeBytes: Number(sizeBytes) };
    if ((await checkContent(objectStore(), file, { trusted, signal, ...(thread && { thread }) })) === "damaged")
      return displayName(path);
  }
  return null;
}

/**
 * The files of a recording for `openRecording`, in the order the uploader named them; of a converted file the MCAP file
 * made from it. Nothing stays open between reads; a read rejects with `ObjectMissing` when the recording was deleted
 * meanwhile.
 */
export async function openByteSources(ctx: Ctx, recordingId: string): Promise<ByteSource[]> {
  const store = objectStore();
  const files = await listReadFiles(ctx, recordingId);
  const completer = toCompleter(await readFound(ctx, recordingId));
  return files.map((file) => ({
    ...toSource(file, (offset, length) => store.readBytes(file.storageKey, offset, length)),
    ...completer,
  }));
}

/** What completes the definitions of a recording's channels; nothing without such. */
const toCompleter = (known: Definitions | null): Pick<ByteSource, "completer"> =>
  known === null ? {} : { completer: new DefinitionCompleter(known) };

const toSource = (
  { uid, sizeBytes, path }: { uid: string; sizeBytes: bigint; path: string },
  read: ByteSource["read"],
): ByteSource => ({
  id: uid,
  size: Number(sizeBytes),
  name: displayName(path),
  read,
});

/** The confirmed files that are read: of a converted one that which was made from it. */
export const listReadFiles = async (ctx: Ctx, recordingId: string): Promise<StoredFile[]> =>
  selectRead(await confirmedFiles(ctx, recordingId));

function selectRead(files: readonly StoredFile[]): StoredFile[] {
  const converted = new Set(files.map((file) => file.derivedFrom));
  const paths = new Set(files.map((file) => file.path));
  const isRead = ({ uid, path }: StoredFile) =>
    !converted.has(uid) &&
    // What describes a recording is read with it.
    getDefinitionFormat(path) === null &&
    !isBagDescription(path) &&
    !paths.has(getDb3Beside(path) ?? "");
  const read = files.filter(isRead);
  // What is left of an upload without a recording has a reason of its own.
  return read.length > 0 ? read : files.filter(({ uid }) => !converted.has(uid));
}

/**
 * `openByteSources` for a pass over the whole recording: the files stay open until `work` is done. `failures`: why files
 * cannot be read, by uid.
 */
export async function withByteSources<T>(
  ctx: Ctx,
  recordingId: string,
  work: (files: ByteSource[]) => Promise<T>,
  known: { definitions?: Definitions; failures?: ReadonlyMap<string, string> } = {},
): Promise<T> {
  const store = objectStore();
  const opened = new Map<string, Promise<OpenObject>>();
  const open = (key: string): Promise<OpenObject> => {
    const object = opened.get(key) ?? store.open(key);
    opened.set(key, object);
    return object;
  };
  const all = await confirmedFiles(ctx, recordingId);
  const files = new Map(all.map((file) => [file.uid, file]));
  const completer = toCompleter(known.definitions ?? (await readFound(ctx, recordingId)));
  const sources = selectRead(all).map((file): ByteSource => {
    const unread = known.failures?.get(file.uid);
    const source = toSource(file, async (offset, length, target) =>
      (await open(file.storageKey)).read(offset, length, target),
    );
    let original = file;
    for (let next: StoredFile | undefined = file; next; next = files.get(next.derivedFrom ?? "")) original = next;
    const uploadedBytes = Number(original.sizeBytes);
    return { ...source, ...completer, uploadedBytes, ...(unread !== undefined && { unread }) };
  });
  try {
    return await work(sources);
  } finally {
    for (const object of opened.values()) await object.then((it) => it.close()).catch(() => {});
  }
}

/** The bytes of a recording's files, those that Muster made included. */
export async function storedBytes(ctx: Ctx, recordingId: string): Promise<number> {
  const files = await confirmedFiles(ctx, recordingId);
  return files.reduce((sum, file) => sum + Number(file.sizeBytes), 0);
}
