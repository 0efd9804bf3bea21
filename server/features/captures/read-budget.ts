import type { ByteSource } from "@/engine/formats/byte-source";

/** Ends reading that took too long or too much. */
class OutOfBudget extends Error {}

/** How much may be read of a recording, and until when. */
export class ReadBudget {
  private readonly until: number;
  private reserved = { bytes: 0, ms: 0 };

  constructor(
    private left: number,
    ms: number,
    readonly signal: AbortSignal,
  ) {
    this.until = performance.now() + ms;
  }

  /** Bytes that may still be read. */
  get bytes(): number {
    return Math.max(0, this.left - this.reserved.bytes);
  }

  /** Does something within what leaves bytes and time for what comes after it; false when it had to stop. */
  async leaving(reserved: { bytes: number; ms: number }, work: () => Promise<void>): Promise<boolean> {
    this.reserved = reserved;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof OutOfBudget) return false;
      throw error;
    }
  }

  /** Counts bytes that are about to be read. Throws OutOfBudget when that is too many, or it is too late. */
  take(bytes: number): void {
    this.signal.throwIfAborted();
    if (bytes > this.bytes || performance.now() > this.until - this.reserved.ms) throw new OutOfBudget();
    this.left -= bytes;
  }

  /** The same file, each read of which is counted. */
  limit(file: ByteSource): ByteSource {
    return {
      ...file,
      read: (offset, length, target) => {
        this.take(length);
        return file.read(offset, length, target);
      },
    };
  }
}
