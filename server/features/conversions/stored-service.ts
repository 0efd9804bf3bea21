import fs from "node:fs/promises";
import { z } from "zod";
import { addDeviceStorage } from "@/server/features/recordings/device-storage-service";
import { lockRecording } from "@/server/features/recordings/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma, type StoredFile } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { toWebStream } from "@/server/platform/storage/web-stream";
import { uuidv7 } from "@/server/platform/uid";

/** Rises when a conversion writes other files than before: those of earlier versions are then made again. */
const version = 2;

const StoredConversion = z.object({
  version: z.literal(version),
  // What the original is: a file of another format, or one that is compressed as a whole.
  format: z.enum(["db3", "ulog", "gzip", "zstd"]),
  truncated: z.boolean(),
  warnings: z.array(z.string()),
  // By type, a digest of the definition that it was written with where the file has none.
  definitions: z.record(z.string(), z.string().nullable()).optional(),
});

/** What is known of a file that Muster made of another. */
export type StoredConversion = Omit<z.output<typeof StoredConversion>, "version">;

/** What is known of a file that this version made; null of one that has to be made again. */
export const readConversion = (made: StoredFile | undefined): StoredConversion | null =>
  StoredConversion.safeParse(made?.conversion).data ?? null;

/** A file on this machine that was made of an uploaded one. */
export interface MadeFile {
  location: string;
  bytes: number;
  /** Its path in the recording, when no other file has that, and what its key ends in. */
  path: string;
  suffix: string;
  conversion: StoredConversion;
}

/**
 * Stores a file under a key made from that of the original, so that a repeated conversion replaces it, and counts it as
 * stored. Throws `not_found` when the recording was deleted meanwhile.
 */
export async function storeMade(ctx: Ctx, original: StoredFile, made: MadeFile): Promise<StoredFile> {
  const recordingId = original.recordingId ?? "";
  const storageKey = `${original.storageKey}${made.suffix}`;
  const body = toWebStream((await fs.open(made.location)).createReadStream());
  const { etag } = await objectStore().put(storageKey, body, made.bytes);
  const sizeBytes = BigInt(made.bytes);
  const conversion = { version, ...made.conversion } satisfies z.input<typeof StoredConversion>;
  try {
    return await transaction(ctx, async (tx) => {
      const { device_id } = await lockRecording(tx, recordingId);
      const present = await tx.db.storedFile.findUnique({ where: { storageKey } });
      const added = sizeBytes - (present?.sizeBytes ?? 0n);
      const stored = await tx.db.storedFile.upsert({
        where: { storageKey },
        update: { sizeBytes, etag, conversion },
        create: {
          uid: uuidv7(),
          organizationId: ctx.organizationId,
          sessionId: original.sessionId,
          recordingId,
          path: await freePath(tx, original.sessionId, made.path),
          storageKey,
          sizeBytes,
          etag,
          confirmedAt: databaseNow(),
          position: original.position,
          derivedFrom: original.uid,
          conversion,
        },
      });
      await countStored(tx, original.sessionId, recordingId, { files: present ? 0 : 1, bytes: added });
      await addDeviceStorage(tx, device_id, added);
      return stored;
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

/** The wanted path; numbered before its extension when the upload has that one already. */
async function freePath(tx: Ctx, sessionId: string, wanted: string): Promise<string> {
  const [stem, extension] = /^(.*?)(\.\w+)?$/s.exec(wanted)?.slice(1) ?? [wanted];
  const same = await tx.db.storedFile.findMany({
    where: { sessionId, path: { startsWith: stem ?? wanted } },
    select: { path: true },
  });
  const taken = new Set(same.map(({ path }) => path));
  const names = [wanted, ...[...taken].map((_, at) => `${stem}.${at + 1}${extension ?? ""}`)];
  return names.find((name) => !taken.has(name)) ?? wanted;
}
