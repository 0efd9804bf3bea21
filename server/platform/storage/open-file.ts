import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** Reads of up to this many bytes allocate their buffer without checking the file's size first. */
const smallRead = 256 * 1024;
/** Bytes that take longer to be handed to another thread than to be read, while the system has them in memory. */
const maxDirect = 64 * 1024;
/** Reads left to other threads after one that had to wait for the disk. */
const afterSlow = 16;

/** A file of which many pieces are read; short ones by the calling thread, for as long as none waits for the disk. */
export class OpenFile {
  /** Short reads to come that other threads do. */
  private indirect = 0;

  /** @param slowMs Less than any read from a disk takes, and more than one from memory. */
  constructor(
    private readonly handle: FileHandle,
    private readonly slowMs = 0.5,
  ) {}

  /** As `ByteSource.read`. */
  async read(offset: number, length: number, target?: Uint8Array): Promise<Uint8Array> {
    if (length > maxDirect) return readAt(this.handle, offset, length, target);
    if (this.indirect > 0) {
      this.indirect -= 1;
      return readAt(this.handle, offset, length, target);
    }
    const size = Math.max(0, length);
    const buffer = target ?? Buffer.allocUnsafeSlow(size);
    const began = performance.now();
    const count = fs.readSync(this.handle.fd, buffer, 0, size, offset);
    if (performance.now() - began > this.slowMs) this.indirect = afterSlow;
    // Only another read can say whether the file ends here: some file systems return less than there is.
    return count === size ? buffer.subarray(0, size) : readAt(this.handle, offset, size, buffer);
  }
}

/** The bytes of [offset, offset + length), fewer only at the end of the file; at the beginning of `target` if given. */
export async function readAt(
  handle: FileHandle,
  offset: number,
  length: number,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const buffer = target ?? Buffer.allocUnsafeSlow(await countAvailable(handle, offset, length));
  const size = Math.min(length, buffer.length);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The size is only needed when the caller requests more bytes than the file may have. */
async function countAvailable(handle: FileHandle, offset: number, length: number): Promise<number> {
  if (length <= smallRead) return Math.max(0, length);
  return Math.max(0, Math.min(length, (await handle.stat()).size - offset));
}
