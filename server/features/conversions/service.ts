import { createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { getDefinitionFormat } from "@/domain/message-definitions/type-name";
import { latin1Text, utf8Text } from "@/engine/bytes";
import { NotConvertible, type Conversion, type ConversionOptions } from "@/engine/formats/conversion";
import { RecordingError } from "@/engine/formats/recording-error";
import { TimeSlicer } from "@/engine/time-slicer";
import { convertDb3 } from "@/server/features/conversions/db3";
import { McapFile } from "@/server/features/conversions/mcap-file";
import { RosDefinitions, type DefinitionFile } from "@/server/features/conversions/ros-definitions";
import { convertUlog } from "@/server/features/conversions/ulog";
import { readDefinitions } from "@/server/features/message-definitions/service";
import { addDeviceStorage } from "@/server/features/recordings/device-storage-service";
import { lockRecording } from "@/server/features/recordings/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma, type StoredFile } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { recordingCodecs } from "@/server/platform/recording-codecs";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace } from "@/server/platform/storage/disk-space";
import { toWebStream } from "@/server/platform/storage/web-stream";
import { uuidv7 } from "@/server/platform/uid";

/** Rises when a conversion writes other files than before: those of earlier versions are then made again. */
const version = 1;

/** A converted file is written beside its copy before it is stored, so that twice this has to fit on the disk. */
const maxFileBytes = 32 * 1024 ** 3;
const maxDefinitionBytes = 1024 * 1024;
const maxDefinitionFiles = 500;

const StoredConversion = z.object({
  version: z.int(),
  format: z.enum(["db3", "ulog"]),
  truncated: z.boolean(),
  warnings: z.array(z.string()),
  // By type, a digest of the definition that it was written with where the file has none.
  definitions: z.record(z.string(), z.string().nullable()).optional(),
});
type StoredConversion = z.output<typeof StoredConversion>;

export interface ConvertOptions {
  /** Resolves when the files are known to be what was uploaded: before that, none is converted. */
  intact: Promise<void>;
  signal: AbortSignal;
  /** `done`: 0..1 of the file that is converted. */
  onProgress: (stage: "converting", done: number) => void;
}

/** What is known of the files of a recording after those that need it were converted. */
export interface ConvertedFiles {
  /** Of the first converted file; null when there is none. */
  format: Conversion["format"] | null;
  truncated: boolean;
  warnings: string[];
  /** By the uid of an uploaded file, why it could not be converted: the end of a sentence. */
  failures: Map<string, string>;
}

type Format = Conversion["format"];

/** Milliseconds for the conversion of a file; grows with its size like the time for reading it. */
const timeBudgetMs = (bytes: number): number => 50_000 + (bytes / 1e6) * 500;

function detectFormat(magic: Uint8Array): Format | null {
  const text = latin1Text(magic);
  if (text.startsWith("SQLite format 3\0")) return "db3";
  return text.startsWith("ULog\u0001\u0012\u0035") ? "ulog" : null;
}

/**
 * Makes an indexed MCAP file beside every uploaded db3 or ULog file of a recording, unless there is one already. Idempotent: a
 * conversion that was cut off is made again under the same key. Throws a RecordingError beyond a limit.
 */
export async function convertFiles(ctx: Ctx, recordingId: string, options: ConvertOptions): Promise<ConvertedFiles> {
  const files = await ctx.db.storedFile.findMany({
    where: { recordingId, organizationId: ctx.organizationId, confirmedAt: { not: null } },
    orderBy: [{ position: "asc" }, { uid: "asc" }],
  });
  const derived = new Map(files.map((file) => [file.derivedFrom, file]));
  const result: ConvertedFiles = { format: null, truncated: false, warnings: [], failures: new Map() };
  const add = ({ format, truncated, warnings }: Omit<Conversion, "messageCount">) => {
    result.format ??= format;
    result.truncated ||= truncated;
    result.warnings.push(...warnings);
  };
  const uploaded = files.filter(({ derivedFrom }) => derivedFrom === null);
  let known: Promise<[DefinitionFile[], DefinitionFile[]]> | undefined;
  const getDefinitions = async () => {
    known ??= Promise.all([readDefinitionFiles(uploaded), readDefinitions(ctx)]);
    return new RosDefinitions(...(await known));
  };
  for (const file of uploaded) {
    const stored = StoredConversion.safeParse(derived.get(file.uid)?.conversion).data;
    if (stored?.version === version && (stored.format === "ulog" || isCurrent(stored, await getDefinitions()))) {
      add(stored);
      continue;
    }
    const format = file.sizeBytes < 16n ? null : detectFormat(await objectStore().readBytes(file.storageKey, 0, 16));
    if (format === null) continue;
    await options.intact;
    try {
      add(await convertFile(ctx, file, { format, definitions: await getDefinitions() }, options));
    } catch (error) {
      if (!(error instanceof NotConvertible)) throw error;
      result.failures.set(file.uid, error.message);
    }
  }
  return result;
}

/** Whether the types without a definition in the file would be written with the same ones now. */
function isCurrent({ definitions }: StoredConversion, known: RosDefinitions): boolean {
  if (definitions === undefined) return false; // converted before the definitions were kept
  for (const type of Object.keys(definitions)) known.find(type);
  return Object.entries(definitions).every(([type, digest]) => known.found[type] === digest);
}

interface Input {
  format: Format;
  definitions: RosDefinitions;
}

async function convertFile(ctx: Ctx, file: StoredFile, input: Input, options: ConvertOptions): Promise<Conversion> {
  const fileBytes = Number(file.sizeBytes);
  if (fileBytes > maxFileBytes) throw new RecordingError("A file of this format can have at most 32 GiB.");
  const folder = path.join(env.DATA_DIR, "tmp", `conversion-${file.uid}`);
  await fs.rm(folder, { recursive: true, force: true }); // of an attempt that was cut off
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await requireSpace(folder, 2 * fileBytes);
    const target = path.join(folder, "converted.mcap");
    const { conversion, bytes } = await writeMcap(file, input, { folder, target }, options);
    await storeConverted(ctx, file, { ...conversion, definitions: input.definitions.found }, { target, bytes });
    return conversion;
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function writeMcap(
  file: StoredFile,
  { format, definitions }: Input,
  { folder, target }: { folder: string; target: string },
  { signal, onProgress }: ConvertOptions,
): Promise<{ conversion: Conversion; bytes: number }> {
  const fileBytes = Number(file.sizeBytes);
  const started = performance.now();
  const budget = timeBudgetMs(fileBytes);
  const slicer = new TimeSlicer(signal);
  const steps: ConversionOptions = {
    isDue: () => slicer.isOver,
    pause: async () => {
      if (performance.now() - started > budget) {
        throw new RecordingError(
          `Converting took longer than the ${Math.round(budget / 1000)} s allowed for its size.`,
        );
      }
      await slicer.yield();
    },
    onProgress: (done) => onProgress("converting", done),
  };
  onProgress("converting", 0);
  const source = path.join(folder, `source.${format}`);
  await copyFile(file, source, signal);
  const mcap = await McapFile.create(target);
  try {
    const conversion =
      format === "db3"
        ? await convertDb3(source, mcap, {
            ...steps,
            definitions,
            zstd: (await recordingCodecs()).zstd,
            fileBytes,
          })
        : await convertUlog(source, mcap, { ...steps, ...(await readTimes(file)), fileBytes });
    return { conversion, bytes: await mcap.finish() };
  } finally {
    await mcap.close();
  }
}

/** When a recording was created, and when it began if its uploader said so, in milliseconds since 1970. */
async function readTimes({
  recordingId,
  organizationId,
}: StoredFile): Promise<{ startedAt: number | null; createdAt: number }> {
  const { startedAt, createdAt } = await prisma.recording.findFirstOrThrow({
    where: { uid: recordingId ?? "", organizationId },
    select: { startedAt: true, createdAt: true },
  });
  const isGiven = startedAt.getTime() !== createdAt.getTime();
  return { startedAt: isGiven ? startedAt.getTime() : null, createdAt: createdAt.getTime() };
}

/** A copy to work on. What its recorder kept in a file of its own is not there, so that no journal is looked for. */
async function copyFile(file: StoredFile, target: string, signal: AbortSignal): Promise<void> {
  const body = Readable.fromWeb((await objectStore().read(file.storageKey)) as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(body, createWriteStream(target), { signal });
  const handle = await fs.open(target, "r+");
  try {
    // Both versions of the format are 2 with a write-ahead log, for which SQLite needs files beside this one.
    const versions = Buffer.alloc(2);
    await handle.read(versions, 0, 2, 18);
    if (versions.equals(Buffer.from([2, 2]))) await handle.write(Buffer.from([1, 1]), 0, 2, 18);
  } finally {
    await handle.close();
  }
}

async function readDefinitionFiles(files: readonly StoredFile[]): Promise<DefinitionFile[]> {
  const wanted = files.filter(
    ({ path: name, sizeBytes }) => getDefinitionFormat(name) !== null && sizeBytes <= maxDefinitionBytes,
  );
  const read: DefinitionFile[] = [];
  for (const { path: name, storageKey, sizeBytes } of wanted.slice(0, maxDefinitionFiles)) {
    read.push({ path: name, text: utf8Text(await objectStore().readBytes(storageKey, 0, Number(sizeBytes))) });
  }
  return read;
}

/**
 * Stores a converted file under a key made from that of the original, so that a repeated conversion replaces it, and
 * counts it as stored. Throws `not_found` when the recording was deleted meanwhile.
 */
async function storeConverted(
  ctx: Ctx,
  file: StoredFile,
  { format, truncated, warnings, definitions }: Omit<StoredConversion, "version">,
  { target, bytes }: { target: string; bytes: number },
): Promise<void> {
  const recordingId = file.recordingId ?? "";
  const storageKey = `${file.storageKey}-mcap`;
  const body = toWebStream((await fs.open(target)).createReadStream());
  const { etag } = await objectStore().put(storageKey, body, bytes);
  const conversion = { version, format, truncated, warnings, definitions } satisfies StoredConversion;
  try {
    await transaction(ctx, async (tx) => {
      const { device_id } = await lockRecording(tx, recordingId);
      const present = await tx.db.storedFile.findUnique({ where: { storageKey } });
      const added = BigInt(bytes) - (present?.sizeBytes ?? 0n);
      await tx.db.storedFile.upsert({
        where: { storageKey },
        update: { sizeBytes: BigInt(bytes), etag, conversion },
        create: {
          uid: uuidv7(),
          organizationId: ctx.organizationId,
          sessionId: file.sessionId,
          recordingId,
          path: await freePath(tx, file),
          storageKey,
          sizeBytes: BigInt(bytes),
          etag,
          confirmedAt: databaseNow(),
          position: file.position,
          derivedFrom: file.uid,
          conversion,
        },
      });
      await countStored(tx, file.sessionId, recordingId, { files: present ? 0 : 1, bytes: added });
      await addDeviceStorage(tx, device_id, added);
    });
  } catch (error) {
    // Without the recording nothing names the object, and nothing would delete it.
    const remaining = await ctx.db.recording.count({ where: { uid: recordingId } });
    if (remaining === 0) await objectStore().delete(storageKey);
    throw error;
  }
}

async function countStored(
  tx: Ctx,
  sessionId: string,
  recordingId: string,
  { files, bytes }: { files: number; bytes: bigint },
): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update upload_sessions set total_files = total_files + ${files}::int, total_bytes = total_bytes + ${bytes}::bigint,
        confirmed_files = confirmed_files + ${files}::int, confirmed_bytes = confirmed_bytes + ${bytes}::bigint
      where uid = ${sessionId}`,
  );
  await execute(
    tx,
    Prisma.sql`update recordings set size_bytes = size_bytes + ${bytes}::bigint where uid = ${recordingId}`,
  );
}

/** The original's path with `.mcap` behind it; numbered when the upload has that one already. */
async function freePath(tx: Ctx, { sessionId, path: original }: StoredFile): Promise<string> {
  const same = await tx.db.storedFile.findMany({
    where: { sessionId, path: { startsWith: original } },
    select: { path: true },
  });
  const taken = new Set(same.map((file) => file.path));
  const names = ["", ...taken].map((_, at) => (at === 0 ? `${original}.mcap` : `${original}.${at}.mcap`));
  return names.find((name) => !taken.has(name)) ?? `${original}.mcap`;
}
