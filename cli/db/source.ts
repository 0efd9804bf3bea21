import { open } from "node:fs/promises";
import { CommandError } from "@/cli/client/api-client";
import { BackupBucket, isBucketAddress, parseAddress } from "@/cli/db/bucket";
import { readAt } from "@/server/platform/storage/open-file";

/** The bytes of an archive, on disk or in a bucket. */
export interface ArchiveSource {
  /** As the operator calls it. */
  name: string;
  size: number;
  /** How many bytes a read should ask for. */
  readBytes: number;
  /** Reads `length` bytes from `offset`, fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Throws a CommandError when another object has taken its place. */
  requireSame(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a file or `s3://bucket/key`. Throws a CommandError. */
export const openArchive = (name: string): Promise<ArchiveSource> =>
  isBucketAddress(name) ? openObject(name) : openFile(name);

async function openFile(name: string): Promise<ArchiveSource> {
  const file = await open(name, "r").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${name} cannot be read (${error.code}).`);
  });
  return {
    name,
    size: (await file.stat()).size,
    readBytes: 256 * 1024,
    read: (offset, length) => readAt(file, offset, length),
    requireSame: () => Promise.resolve(),
    close: () => file.close(),
  };
}

async function openObject(address: string): Promise<ArchiveSource> {
  const { bucket, key } = parseAddress(address);
  const store = new BackupBucket(bucket);
  const stored = await store.head(key);
  if (!stored) throw new CommandError(`There is no object ${address}.`);
  return {
    name: address,
    size: stored.sizeBytes,
    readBytes: 8 * 1024 ** 2,
    read: (offset, length) => store.readBytes(key, offset, Math.min(length, stored.sizeBytes - offset)),
    requireSame: async () => {
      if ((await store.head(key))?.etag !== stored.etag)
        throw new CommandError(`${address} was replaced while it was read.`);
    },
    close: () => Promise.resolve(),
  };
}
