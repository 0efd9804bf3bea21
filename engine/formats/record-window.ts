import { asBuffer, type ByteSource } from "@/engine/formats/byte-source";

const SMALLEST = 4096;
const LARGEST = 1024 * 1024;

/**
 * Reads small pieces at rising positions with few reads: a run of neighbouring records doubles what is fetched at once,
 * a jump over a chunk starts small again.
 */
export class RecordWindow {
  private bytes: Buffer = Buffer.alloc(0);
  private start = 0;
  private step = SMALLEST;

  constructor(private readonly source: ByteSource) {}

  /** The bytes of [position, position + length); shorter at the end of the file. Valid until the next call. */
  async at(position: number, length: number): Promise<Buffer> {
    const end = Math.min(position + length, this.source.size);
    if (position < this.start || end > this.start + this.bytes.length) {
      const follows = position >= this.start && position - (this.start + this.bytes.length) < SMALLEST;
      this.step = follows ? Math.min(LARGEST, this.step * 2) : SMALLEST;
      this.bytes = asBuffer(await this.source.read(position, Math.max(length, this.step)));
      this.start = position;
    }
    const from = position - this.start;
    return this.bytes.subarray(from, Math.max(from, end - this.start));
  }
}
