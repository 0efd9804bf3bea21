import { plainBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";

const minBlock = 4 * 1024;
const maxBlock = 1024 * 1024;
/** Longer pieces, which are chunks mostly, are read by themselves. */
const maxPiece = 64 * 1024;
/** Pieces read before they are asked for: what hides a bucket's latency without holding much. */
const maxPrepared = 4;
const maxPreparedBytes = 2 * 1024 * 1024;

/**
 * One file of a recording read with few requests. Neighbouring small pieces come out of blocks, whose size doubles
 * along the file and starts small again after a jump; longer ones can be requested ahead with `prepare`.
 */
export class ReadAhead {
  readonly size: number;
  /** What the caller knows the file by. */
  readonly id: string | null;
  private block: Uint8Array = new Uint8Array(0);
  private blockStart = 0;
  private blockSize = minBlock;
  private readonly prepared = new Map<number, { length: number; bytes: Promise<Uint8Array> }>();

  constructor(private readonly source: ByteSource) {
    this.size = source.size;
    this.id = source.id ?? null;
  }

  /** The bytes of [offset, offset + length), of the plain class Uint8Array; fewer at the end of the file. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size);
    if (this.inBlock(offset, end)) return this.block.subarray(offset - this.blockStart, end - this.blockStart);
    const prepared = this.prepared.get(offset);
    this.prepared.delete(offset);
    if (prepared?.length === length) return prepared.bytes;
    if (length > maxPiece) return this.fetch(offset, length);
    this.blockSize = this.follows(offset) ? Math.min(maxBlock, this.blockSize * 2) : minBlock;
    const block = await this.fetch(offset, Math.max(length, this.blockSize));
    [this.block, this.blockStart] = [block, offset];
    return block.subarray(0, Math.max(0, end - offset));
  }

  /** Begins to read what `read` is going to ask for soon, in the order of the calls; no effect when it is at hand. */
  prepare(offset: number, length: number): void {
    if (length > maxPreparedBytes || this.prepared.has(offset)) return;
    if (this.inBlock(offset, offset + length) || (length <= maxPiece && this.follows(offset))) return;
    if (this.prepared.size === maxPrepared) this.prepared.delete(this.prepared.keys().next().value!);
    const bytes = this.fetch(offset, length);
    // Whoever reads it sees the failure; nobody may.
    bytes.catch(() => {});
    this.prepared.set(offset, { length, bytes });
  }

  private async fetch(offset: number, length: number): Promise<Uint8Array> {
    return plainBytes(await this.source.read(offset, length));
  }

  private inBlock(offset: number, end: number): boolean {
    return offset >= this.blockStart && end <= this.blockStart + this.block.length;
  }

  private follows(offset: number): boolean {
    return offset >= this.blockStart && offset - (this.blockStart + this.block.length) < minBlock;
  }
}
