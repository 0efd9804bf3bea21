import { compressionNamed, decompress } from "@/engine/formats/codecs/compression";
import type { LostRange, RowFilter } from "@/engine/formats/indexed-file";
import type { ChunkTask, UnpackedChunk } from "@/engine/formats/mcap/chunk-job";
import type { McapContext } from "@/engine/formats/mcap/mcap-context";
import type { ChunkHeads } from "@/engine/formats/mcap/mcap-heads";
import type { McapChunk } from "@/engine/formats/mcap/mcap-index";
import { brokenChunk } from "@/engine/formats/mcap/mcap-messages";
import { eachRecord, Malformed, Op, readChunkHead, RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";
import type { ReadAhead } from "@/engine/formats/read-ahead";
import { quoted } from "@/engine/formats/recording-error";

const NOTHING = new Uint8Array(0);

/** Where a chunk lies, and its declared range in nanoseconds. */
interface Place {
  offset: number;
  startTime: bigint;
  endTime: bigint;
}

interface ReadingOptions {
  /** The records are needed until the next chunk only. */
  brief?: boolean;
  signal?: AbortSignal | undefined;
}

/** Reads the chunks of an MCAP file and decompresses them. */
export class StoredChunks {
  /** What chunks are decompressed into whose records are needed until the next one only. */
  private memory = NOTHING;
  /** What was read from the file and the chunk at hand lies in. */
  private lent: Uint8Array | null = null;

  constructor(
    private readonly source: ReadAhead,
    private readonly context: McapContext,
    private readonly heads: ChunkHeads,
    private readonly lost: LostRange[],
  ) {}

  /** The records of a chunk; fewer, or none, when it is damaged. */
  async read(chunk: McapChunk, { brief = false, signal }: ReadingOptions = {}): Promise<Uint8Array> {
    return this.unpack(chunk, await this.source.read(chunk.offset, chunk.length, signal), brief);
  }

  /**
   * The records of a chunk, needed until the next one only. `unpacked`: null when it was not handed to another thread, or
   * has to be scanned here.
   */
  async readNext(chunk: McapChunk): Promise<{ records: Uint8Array; unpacked: UnpackedChunk | null }> {
    this.release();
    const begun = await this.context.ahead?.take(chunk);
    if (!begun) return { records: await this.read(chunk, { brief: true }), unpacked: null };
    const { stored, unpacked } = begun;
    if (unpacked === null) return { records: this.unpack(chunk, stored, true), unpacked };
    const { records, sound } = unpacked;
    if (!sound) this.warnOfChecksum(chunk);
    this.giveBack(stored, records, true);
    return { records, unpacked };
  }

  /** Gives back the memory of the records that `readNext` returned last. */
  release(): void {
    if (this.lent) this.source.release(this.lent);
    this.lent = null;
  }

  /**
   * Reads a chunk and hands it to another thread, if there is one and it is worth it, to be read by `readNext`. Returns
   * whether it did.
   */
  begin(chunk: McapChunk, filter: RowFilter, slots: Int32Array): boolean {
    const { ahead } = this.context;
    if (!ahead?.isWorthIt(chunk.uncompressedBytes) || chunk.bare || chunk.cut || chunk.joined > 1) return false;
    const stored = this.source.read(chunk.offset, chunk.length);
    ahead.begin(chunk, stored, (bytes) => this.toTask(chunk, bytes, filter, slots));
    return true;
  }

  private toTask(chunk: McapChunk, bytes: Uint8Array, { start, end }: RowFilter, slots: Int32Array): ChunkTask | null {
    if (bytes[0] !== Op.Chunk) return null;
    try {
      const body = bytes.subarray(RECORD_HEAD);
      const { bodyOffset, compressedBytes, uncompressedBytes: size, crc, ...head } = readChunkHead(body);
      const packed = body.subarray(bodyOffset, bodyOffset + compressedBytes);
      const compression = compressionNamed(head.compression);
      const isPlain = size === chunk.uncompressedBytes && packed.length === compressedBytes;
      return isPlain && compression !== null && this.context.allowance.chunkExcess(compressedBytes, size) === null
        ? { packed, compression, size, crc, slots, start, end }
        : null;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return null;
    }
  }

  private unpack(chunk: McapChunk, bytes: Uint8Array, brief: boolean): Uint8Array {
    if (chunk.bare) return bytes;
    if (chunk.joined > 1) return this.decompressJoined(chunk, bytes);
    if (bytes[0] !== Op.Chunk) return this.lose(chunk, chunk, "is damaged and was left out");
    const records = this.decompress(chunk, chunk, bytes.subarray(RECORD_HEAD), brief);
    this.giveBack(bytes, records, brief);
    return records;
  }

  /** Gives the memory of stored bytes back, as soon as the records do not lie in it. */
  private giveBack(bytes: Uint8Array, records: Uint8Array, brief: boolean): void {
    if (records.buffer !== bytes.buffer) this.source.release(bytes);
    else if (brief) this.lent = bytes;
  }

  /** The records of neighbouring chunks. */
  private decompressJoined(chunk: McapChunk, bytes: Uint8Array): Uint8Array {
    const all = new Uint8Array(chunk.uncompressedBytes);
    let filled = 0;
    let found = 0;
    eachRecord(bytes, (op, at, length) => {
      if (op !== Op.Chunk) return;
      found += 1;
      const place = { offset: chunk.offset + at - RECORD_HEAD, startTime: chunk.startTime, endTime: chunk.endTime };
      const data = this.decompress(chunk, place, bytes.subarray(at, at + length), true, all.length - filled);
      // What follows has to begin with a record.
      let end = 0;
      eachRecord(data, (_, from, size) => (end = from + size));
      if (end < data.length && !this.lost.some((range) => range.chunk === chunk))
        this.context.warnings.addLoss(brokenChunk);
      all.set(data.subarray(0, end), filled);
      filled += end;
    });
    if (found !== chunk.joined) this.heads.disagree = true;
    return all.subarray(0, filled);
  }

  /** The records of one chunk, of at most `room` bytes; `body`: its record's content. */
  private decompress(chunk: McapChunk, place: Place, body: Uint8Array, brief: boolean, room = Infinity): Uint8Array {
    const { codecs, allowance, warnings } = this.context;
    try {
      const head = readChunkHead(body);
      const size = head.uncompressedBytes;
      if (size > room) {
        this.heads.disagree = true;
        return NOTHING;
      }
      if (chunk.joined > 1) [place.startTime, place.endTime] = [head.startTime, head.endTime];
      const excess = allowance.chunkExcess(head.compressedBytes, size);
      if (excess !== null) return this.lose(chunk, place, excess);
      const compression = compressionNamed(head.compression);
      if (compression === null) {
        warnings.addLoss(`Chunks compressed with ${quoted(head.compression, 20)} cannot be read and were left out.`);
        return NOTHING;
      }
      const compressed = body.subarray(head.bodyOffset, head.bodyOffset + head.compressedBytes);
      const into = brief ? this.reserve(size) : undefined;
      const { data, complete } = decompress(codecs, compression, compressed, size, into);
      if (!complete && !chunk.cut) {
        this.lose(chunk, place, "is damaged; what could be decompressed was read");
      } else if (complete && head.crc !== 0 && codecs.crc32(data) !== head.crc) {
        this.warnOfChecksum(place);
      }
      return data;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return this.lose(chunk, place, "is damaged and was left out");
    }
  }

  private reserve(size: number): Uint8Array {
    if (this.memory.length < size) this.memory = new Uint8Array(size);
    return this.memory;
  }

  private warnOfChecksum(place: Pick<Place, "offset">): void {
    this.context.warnings.add(describeChunk(place, "has a wrong checksum; it was read as it is"));
  }

  private lose(chunk: McapChunk, { offset, startTime, endTime }: Place, what: string): Uint8Array {
    this.context.warnings.addLoss(describeChunk({ offset }, what));
    this.lost.push({ chunk, offset, startTime, endTime });
    return NOTHING;
  }
}

function describeChunk({ offset }: Pick<Place, "offset">, what: string): string {
  return `The chunk at byte ${offset.toLocaleString("en")} ${what}.`;
}
