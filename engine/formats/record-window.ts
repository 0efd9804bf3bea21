import type { ByteSource } from "@/engine/formats/byte-source";

const MIN_STEP = 4096;
const MAX_STEP = 1024 * 1024;

/**
 * Reads small pieces at rising positions with few reads: the size of a read doubles along neighbouring records and
 * starts small again after a jump over a chunk.
 */
export class RecordWindow {
  private bytes: Uint8Array = new Uint8Array(0);
  private start = 0;
  private step = MIN_STEP;

  constructor(private readonly source: ByteSource) {}

  /** The bytes of [position, position + length); shorter at the end of the file. Valid until the next call. */
  async at(position: number, length: number): Promise<Uint8Array> {
    const end = Math.min(position + length, this.source.size);
    if (position < this.start || end > this.start + this.bytes.length) {
      const follows = position >= this.start && position - (this.start + this.bytes.length) < MIN_STEP;
      this.step = follows ? Math.min(MAX_STEP, this.step * 2) : MIN_STEP;
      this.bytes = await this.source.read(position, Math.max(length, this.step));
      this.start = position;
    }
    const from = position - this.start;
    return this.bytes.subarray(from, Math.max(from, end - this.start));
  }
}
