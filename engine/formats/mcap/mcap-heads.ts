import { toDataView } from "@/engine/bytes";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import { Op, RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";
import { maxShortPrepared, type ReadAhead } from "@/engine/formats/read-ahead";

/** The first bytes of a chunk: the record's head and two times. */
const HEAD = RECORD_HEAD + 16;

/** What an index says of a chunk, and the chunk's own head repeats. */
type Declared = Pick<ChunkRef, "offset" | "length" | "startTime" | "endTime">;

/** Compares the heads of the stored chunks of an MCAP file with its index. */
export class ChunkHeads {
  /** Stored chunks are not those that the index lists. */
  disagree = false;
  /** Not compared yet, by the chunk before them, with whose message index they are read. */
  private readonly waiting = new Map<ChunkRef, Declared>();

  constructor(
    private readonly source: ReadAhead,
    private readonly allowance: Allowance,
  ) {}

  /** Compares the heads of chunks, but of those behind a message index that is going to be read. */
  async check(chunks: readonly ChunkRef[], before: (chunk: ChunkRef) => ChunkRef | null): Promise<void> {
    const alone: Declared[] = [];
    for (const chunk of chunks) {
      const indexed = before(chunk);
      const { offset, length, startTime, endTime } = chunk;
      if (indexed === null) alone.push(chunk);
      // Its times may be corrected until then.
      else this.waiting.set(indexed, { offset, length, startTime, endTime });
    }
    await this.read(alone);
  }

  private async read(chunks: readonly Declared[]): Promise<void> {
    for (const [at, chunk] of chunks.entries()) {
      this.allowance.checkTime();
      const ahead = chunks[at + maxShortPrepared - 1];
      if (ahead !== undefined) this.source.prepare(ahead.offset, HEAD);
      this.compare(chunk, await this.source.read(chunk.offset, HEAD));
    }
  }

  /** Bytes behind the message index of a chunk that `takeBehind` needs. */
  lengthBehind(chunk: ChunkRef): number {
    return this.waiting.has(chunk) ? HEAD : 0;
  }

  takeBehind(chunk: ChunkRef, bytes: Uint8Array): void {
    const declared = this.waiting.get(chunk);
    if (declared !== undefined) this.compare(declared, bytes);
    this.waiting.delete(chunk);
  }

  /** Compares those that still wait. */
  async checkWaiting(): Promise<void> {
    const declared = [...this.waiting.values()];
    this.waiting.clear();
    await this.read(declared);
  }

  private compare({ length, startTime, endTime }: Declared, bytes: Uint8Array): void {
    const view = toDataView(bytes);
    const agrees =
      bytes.length >= HEAD &&
      bytes[0] === Op.Chunk &&
      view.getUint32(1, true) === length - RECORD_HEAD &&
      view.getBigInt64(RECORD_HEAD, true) === startTime &&
      view.getBigInt64(RECORD_HEAD + 8, true) === endTime;
    if (!agrees) this.disagree = true;
  }

  /** Forgets all of it, when the chunks are listed anew. */
  reset(): void {
    this.disagree = false;
    this.waiting.clear();
  }
}
