import { open, rename, rm, writeFile } from "node:fs/promises";
import { CommandError } from "@/cli/client/api-client";
import { BackupBucket, isBucketAddress, parseAddress } from "@/cli/db/bucket";
import type { UploadedPart } from "@/server/platform/storage/s3-parts";

/** Where a backup is written. It has its name only once it is complete. */
export interface BackupTarget {
  /** Receives all bytes, to the last one. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Gives the written bytes their name. Resolves to how many they are. */
  publish(): Promise<number>;
  discard(): Promise<void>;
}

/** Opens a file or `s3://bucket/key`. `expectedBytes` may be wrong by a factor. Throws a CommandError. */
export const openTarget = (name: string, expectedBytes: () => Promise<number>): Promise<BackupTarget> =>
  isBucketAddress(name) ? openObject(name, expectedBytes) : openFile(name);

async function openFile(name: string): Promise<BackupTarget> {
  const part = `${name}.part`;
  const file = await open(part, "wx+", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "EEXIST"
        ? `${part} exists: another backup writes there, or one was interrupted. Remove it first.`
        : `${part} cannot be written (${error.code}).`,
    );
  });
  return {
    write: (bytes) => writeFile(file, bytes),
    publish: async () => {
      await file.sync();
      const { size } = await file.stat();
      await file.close();
      await rename(part, name);
      return size;
    },
    discard: async () => {
      await file.close().catch(() => {});
      await rm(part, { force: true });
    },
  };
}

/** S3's limits of one object. */
const maxObjectBytes = 5 * 1024 ** 4;
const leastPartBytes = 16 * 1024 ** 2;
/** The first parts, for the expected size. Later ones are larger, because an object has at most 10,000. */
const evenParts = 8_000;
const growth = 8;
const maxParts = 10_000;

/** The size of a part, in bytes, of an object that is expected to have `expected`. */
export function getBackupPartBytes(number: number, expected: number): number {
  const size = Math.max(leastPartBytes, Math.ceil(expected / evenParts));
  return number <= evenParts ? size : size * growth;
}

async function openObject(address: string, expectedBytes: () => Promise<number>): Promise<BackupTarget> {
  const { bucket, key } = parseAddress(address);
  const expected = await expectedBytes();
  if (expected > maxObjectBytes)
    throw new CommandError(
      `The files have ${(expected / 1e12).toFixed(1)} TB, and an object in a bucket holds 5 TiB. Back up --without-files, and keep versions of the files' own bucket.`,
    );
  const store = new BackupBucket(bucket);
  const upload = await store.begin(key);
  const parts: UploadedPart[] = [];
  return {
    write: async (bytes) => {
      let sending: Promise<void> = Promise.resolve();
      let part = Buffer.allocUnsafe(getBackupPartBytes(1, expected));
      let filled = 0;
      let number = 1;
      const send = async () => {
        await sending;
        if (number > maxParts) throw new CommandError(`${address} would have more than ${maxParts} parts.`);
        const [full, own] = [part.subarray(0, filled), number];
        sending = store.send(key, upload, own, full).then((sent) => void parts.push(sent));
        sending.catch(() => {}); // thrown by the next part, or at the end
        [number, filled] = [number + 1, 0];
        part = Buffer.allocUnsafe(getBackupPartBytes(number, expected));
      };
      for await (const chunk of bytes) {
        for (let rest = chunk; rest.length > 0;) {
          const piece = rest.subarray(0, part.length - filled);
          part.set(piece, filled);
          filled += piece.length;
          rest = rest.subarray(piece.length);
          if (filled === part.length) await send();
        }
      }
      if (filled > 0) await send();
      await sending;
    },
    publish: async () => {
      await store.finish(key, upload, parts);
      return parts.reduce((sum, { size }) => sum + size, 0);
    },
    discard: () => store.abandon(key, upload).catch(() => {}),
  };
}
