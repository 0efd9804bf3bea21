import { plainBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";

const minBlock = 4 * 1024;
const maxBlock = 1024 * 1024;
/** Longer pieces, which are chunks mostly, are read by themselves, or several with one request by `prepare`. */
const maxPiece = 64 * 1024;
/** Longer pieces read before they are asked for: what hides a bucket's latency without holding much. */
const maxPrepared = 4;
/** Shorter ones, which take hardly longer than the way there and back. */
export const maxShortPrepared = 8;
/** Bytes of the longest of them. */
export const maxPreparedBytes = 2 * 1024 * 1024;
/** Memory that is used again: pieces of up to so many bytes, in powers of two from `leastMemory` on. */
const maxMemory = 8 * 1024 * 1024;
const leastMemory = 256 * 1024;
/** As many pieces as a recording has in use at once: those that were prepared, and those whose chunks were handed over. */
const maxSpare = 16;

/**
 * Memory of longer pieces, shared by files: what was given back is read into again, so that neither the system nor the
 * collector has to provide new memory for every chunk.
 */
export class PieceMemory {
  private readonly spare: Uint8Array[] = [];
  /** How often each piece's memory must be given back until it is free. */
  private readonly uses = new WeakMap<ArrayBufferLike, number>();

  constructor(private readonly allocate = (length: number): Uint8Array => new Uint8Array(length)) {}

  /** At least `length` bytes. */
  take(length: number): Uint8Array {
    const fitting = this.spare.findIndex((each) => each.length >= length);
    // One that is too small makes room for a larger one.
    if (fitting < 0) this.spare.shift();
    const memory = this.spare.splice(fitting, fitting < 0 ? 0 : 1)[0] ?? this.allocate(roundUp(length));
    this.uses.set(memory.buffer, 1);
    return memory;
  }

  /** The memory of bytes has another user. */
  share({ buffer }: Uint8Array): void {
    const uses = this.uses.get(buffer);
    if (uses !== undefined) this.uses.set(buffer, uses + 1);
  }

  /** Takes back the memory of bytes if it came from here and nobody else uses it. */
  giveBack({ buffer }: Uint8Array): void {
    const uses = this.uses.get(buffer) ?? 0;
    if (uses > 0) this.uses.set(buffer, uses - 1);
    if (uses === 1 && this.spare.length < maxSpare) this.spare.push(new Uint8Array(buffer));
  }
}

function roundUp(length: number): number {
  let size = leastMemory;
  while (size < length) size *= 2;
  return size;
}

/** Whether a piece is read with others, when they are neighbours. */
export const isShort = (length: number): boolean => length <= maxPiece;

/** A piece that is requested before it, or parts of it, are read. */
interface Prepared {
  start: number;
  end: number;
  bytes: Promise<Uint8Array>;
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
  private prepared: Prepared[] = [];

  /** Whether the source puts bytes where it is asked to. */
  private fills = true;

  constructor(
    private readonly source: ByteSource,
    private readonly memory: PieceMemory | null = null,
  ) {
    this.size = source.size;
    this.id = source.id ?? null;
  }

  /**
   * The bytes of [offset, offset + length), of the plain class Uint8Array; fewer at the end of the file. `signal`: wanted
   * no longer, when no other piece is read with it.
   */
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size);
    if (this.inBlock(offset, end)) return this.block.subarray(offset - this.blockStart, end - this.blockStart);
    const prepared = this.prepared.find((piece) => offset >= piece.start && offset + length <= piece.end);
    if (prepared) return this.readPrepared(prepared, offset, length);
    if (!isShort(length)) return this.fetch(offset, length, signal);
    this.blockSize = this.follows(offset) ? Math.min(maxBlock, this.blockSize * 2) : minBlock;
    // Several pieces may refer to a block: its memory is not used again.
    const block = plainBytes(await this.source.read(offset, Math.max(length, this.blockSize)));
    [this.block, this.blockStart] = [block, offset];
    return block.subarray(0, Math.max(0, end - offset));
  }

  /** A part of a prepared piece, which is kept until its last part is read. */
  private async readPrepared(piece: Prepared, offset: number, length: number): Promise<Uint8Array> {
    const isLast = offset + length === piece.end;
    if (isLast) this.prepared = this.prepared.filter((each) => each !== piece);
    const bytes = await piece.bytes;
    if (!isLast) this.memory?.share(bytes);
    return bytes.subarray(offset - piece.start, offset + length - piece.start);
  }

  /**
   * Begins to read what `read` is going to ask for soon, at once or in parts, the last of which ends it. In the order of
   * the calls; no effect when it is at hand.
   */
  prepare(offset: number, length: number): void {
    const end = offset + length;
    if (length > maxPreparedBytes || this.prepared.some((piece) => offset >= piece.start && end <= piece.end)) return;
    if (this.inBlock(offset, end) || (isShort(length) && this.follows(offset))) return;
    const alike = this.prepared.filter((piece) => isShort(piece.end - piece.start) === isShort(length));
    if (alike.length === (isShort(length) ? maxShortPrepared : maxPrepared)) this.forget(alike[0]!);
    const bytes = this.fetch(offset, length);
    // Whoever reads it sees the failure; nobody may.
    bytes.catch(() => {});
    this.prepared.push({ start: offset, end, bytes });
  }

  /** Nobody will ask for the rest of a prepared piece. */
  private forget(piece: Prepared): void {
    this.prepared = this.prepared.filter((each) => each !== piece);
    piece.bytes.then(
      (bytes) => this.memory?.giveBack(bytes),
      () => {},
    );
  }

  /** Gives back what `read` returned, once nothing refers to it: its memory is used for what is read next. */
  release(bytes: Uint8Array): void {
    this.memory?.giveBack(bytes);
  }

  private async fetch(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    if (!this.memory || !this.fills || isShort(length) || length > maxMemory)
      return plainBytes(await this.source.read(offset, length, undefined, signal));
    const target = this.memory.take(length);
    const bytes = await this.source.read(offset, length, target);
    if (bytes.buffer !== target.buffer) {
      this.fills = false;
      this.memory.giveBack(target);
    }
    return plainBytes(bytes);
  }

  private inBlock(offset: number, end: number): boolean {
    return offset >= this.blockStart && end <= this.blockStart + this.block.length;
  }

  private follows(offset: number): boolean {
    return offset >= this.blockStart && offset - (this.blockStart + this.block.length) < minBlock;
  }
}
