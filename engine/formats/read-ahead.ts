import { plainBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";

const minBlock = 4 * 1024;
const maxBlock = 1024 * 1024;
/** Longer pieces, which are chunks mostly, are read by themselves. */
const maxPiece = 64 * 1024;
/** Pieces read before they are asked for: what hides a bucket's latency without holding much. */
const maxPrepared = 4;
const maxPreparedBytes = 2 * 1024 * 1024;
/** Memory that is used again: pieces of up to so many bytes, in multiples of `memoryStep`. */
const maxMemory = 8 * 1024 * 1024;
const memoryStep = 256 * 1024;

/**
 * Memory of longer pieces, shared by the files of a recording: what was given back is read into again, so that neither
 * the system nor the collector has to provide new memory for every chunk.
 */
export class PieceMemory {
  private readonly spare: Uint8Array[] = [];
  private readonly own = new WeakSet<ArrayBufferLike>();

  /** At least `length` bytes. */
  take(length: number): Uint8Array {
    const fitting = this.spare.findIndex((each) => each.length >= length);
    if (fitting >= 0) return this.spare.splice(fitting, 1)[0]!;
    this.spare.length = 0;
    const memory = new Uint8Array(Math.ceil(length / memoryStep) * memoryStep);
    this.own.add(memory.buffer);
    return memory;
  }

  /** Takes back the memory of bytes if it came from here. */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.own.has(buffer) || this.spare.length >= maxPrepared) return;
    if (!this.spare.some((each) => each.buffer === buffer)) this.spare.push(new Uint8Array(buffer));
  }
}

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

  /** Whether the source puts bytes where it is asked to. */
  private fills = true;

  constructor(
    private readonly source: ByteSource,
    private readonly memory: PieceMemory | null = null,
  ) {
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
    // Several pieces may refer to a block: its memory is not used again.
    const block = plainBytes(await this.source.read(offset, Math.max(length, this.blockSize)));
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

  /** Gives back what `read` returned, once nothing refers to it: its memory is used for what is read next. */
  release(bytes: Uint8Array): void {
    this.memory?.giveBack(bytes);
  }

  private async fetch(offset: number, length: number): Promise<Uint8Array> {
    if (!this.memory || !this.fills || length <= maxPiece || length > maxMemory)
      return plainBytes(await this.source.read(offset, length));
    const target = this.memory.take(length);
    const bytes = await this.source.read(offset, length, target);
    if (bytes.buffer !== target.buffer) this.fills = false;
    return plainBytes(bytes);
  }

  private inBlock(offset: number, end: number): boolean {
    return offset >= this.blockStart && end <= this.blockStart + this.block.length;
  }

  private follows(offset: number): boolean {
    return offset >= this.blockStart && offset - (this.blockStart + this.block.length) < minBlock;
  }
}
