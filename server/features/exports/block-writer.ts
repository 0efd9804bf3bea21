import type { FileHandle } from "node:fs/promises";

const blockBytes = 256 * 1024;

/** Writes small pieces to a file through one reused buffer. */
export class BlockWriter {
  private readonly block = Buffer.allocUnsafe(blockBytes);
  private filled = 0;
  /** Bytes written so far. */
  offset = 0;

  constructor(private readonly file: FileHandle) {}

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + blockBytes - this.filled);
      this.block.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === blockBytes) await this.flush();
    }
    this.offset += bytes.length;
  }

  async flush(): Promise<void> {
    for (let at = 0; at < this.filled;) at += (await this.file.write(this.block, at, this.filled - at)).bytesWritten;
    this.filled = 0;
  }
}
