import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AnnotationFile } from "@/server/features/imports/formats/annotation-file";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace } from "@/server/platform/storage/disk-space";

export interface LocalFile extends AnnotationFile {
  sha256: string;
  /** A folder of its own, which is removed with the file. */
  folder: string;
}

/**
 * Runs `work` with a copy of the file of an import on this machine, which is removed afterwards. Throws `unavailable` when it does
 * not fit on the disk.
 */
export async function withImportFile<T>(
  { uid, storageKey, sizeBytes }: { uid: string; storageKey: string; sizeBytes: bigint },
  signal: AbortSignal,
  work: (file: LocalFile) => Promise<T>,
): Promise<T> {
  const folder = path.join(env.DATA_DIR, "tmp", `import-${uid}`);
  await fs.rm(folder, { recursive: true, force: true }); // of an attempt that was cut off
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await requireSpace(folder, Number(sizeBytes));
    const target = path.join(folder, "file");
    const hash = createHash("sha256");
    const hashing = new Transform({
      transform(part: Buffer, _encoding, done) {
        hash.update(part);
        done(null, part);
      },
    });
    const stored = await objectStore().read(storageKey);
    await pipeline(
      Readable.fromWeb(stored as Parameters<typeof Readable.fromWeb>[0]),
      hashing,
      createWriteStream(target),
      {
        signal,
      },
    );
    return await work({ path: target, size: Number(sizeBytes), sha256: hash.digest("hex"), folder });
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}
