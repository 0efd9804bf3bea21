import { concatBytes } from "@/engine/bytes";
import { RecordBody } from "@/engine/cut/record-body";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { MCAP_MAGIC, Op } from "@/engine/formats/mcap/mcap-records";

/** The messages of one channel in a chunk: log times, and where their records begin among those of the chunk. */
export interface IndexedMessages {
  channelId: number;
  times: bigint[];
  offsets: number[];
}

/** A chunk to be written: its record, the sizes that it declares, and what it holds. */
export interface WrittenChunk extends TimeRange {
  record: Uint8Array;
  compression: string;
  compressedBytes: number;
  uncompressedBytes: number;
  messages: readonly IndexedMessages[];
}

/** Writes an MCAP file piece by piece: data, then the summary with its indexes, statistics and checksums. */
export class McapOutput {
  /** Bytes written so far. */
  position = 0;
  messageCount = 0;
  private pending: Uint8Array[] = [];
  /** Bytes that wait for `take`. */
  pendingBytes = 0;
  private crc = 0;
  private readonly schemas: Uint8Array[] = [];
  private readonly channels: Uint8Array[] = [];
  private readonly chunkIndexes: Uint8Array[] = [];
  private readonly metadataIndexes: Uint8Array[] = [];
  private readonly counts = new Map<number, number>();
  private range: TimeRange | null = null;

  constructor(
    private readonly codecs: Pick<Codecs, "crc32">,
    profile: string,
  ) {
    this.put(MCAP_MAGIC);
    this.put(new RecordBody().text(profile).text("muster").record(Op.Header));
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const bytes = this.pending.length === 1 ? this.pending[0]! : concatBytes(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    return bytes;
  }

  private put(bytes: Uint8Array): void {
    this.crc = this.codecs.crc32(bytes, this.crc);
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    this.position += bytes.length;
  }

  /** `body`: of the schema's record. */
  addSchema(body: Uint8Array): void {
    const record = new RecordBody(body.length).raw(body).record(Op.Schema);
    this.schemas.push(record);
    this.put(record);
  }

  addChannel(body: Uint8Array): void {
    const record = new RecordBody(body.length).raw(body).record(Op.Channel);
    this.channels.push(record);
    this.put(record);
  }

  addMetadata(name: string, values: ReadonlyMap<string, string>): void {
    const record = new RecordBody().text(name).texts(values).record(Op.Metadata);
    this.metadataIndexes.push(
      new RecordBody().u64(this.position).u64(record.length).text(name).record(Op.MetadataIndex),
    );
    this.put(record);
  }

  addChunk(chunk: WrittenChunk): void {
    const { record, start, end, messages } = chunk;
    const offset = this.position;
    this.put(record);
    const indexAt = this.position;
    const places = new RecordBody();
    for (const { channelId, times, offsets } of messages) {
      places.u16(channelId).u64(this.position);
      const index = new RecordBody(6 + 16 * times.length).u16(channelId).u32(16 * times.length);
      for (const [at, time] of times.entries()) index.u64(time).u64(offsets[at]!);
      this.put(index.record(Op.MessageIndex));
      this.counts.set(channelId, (this.counts.get(channelId) ?? 0) + times.length);
      this.messageCount += times.length;
    }
    const map = places.body();
    this.chunkIndexes.push(
      new RecordBody(76 + map.length)
        .u64(start)
        .u64(end)
        .u64(offset)
        .u64(record.length)
        .u32(map.length)
        .raw(map)
        .u64(this.position - indexAt)
        .text(chunk.compression)
        .u64(chunk.compressedBytes)
        .u64(chunk.uncompressedBytes)
        .record(Op.ChunkIndex),
    );
    const { range } = this;
    this.range = {
      start: range === null || start < range.start ? start : range.start,
      end: range === null || end > range.end ? end : range.end,
    };
  }

  /** Ends the file. */
  close(): void {
    this.put(new RecordBody().u32(this.crc).record(Op.DataEnd));
    this.crc = 0;
    const summaryStart = this.position;
    const groups: Uint8Array[] = [];
    for (const [op, records] of [
      [Op.Schema, this.schemas],
      [Op.Channel, this.channels],
      [Op.Statistics, [this.statistics()]],
      [Op.ChunkIndex, this.chunkIndexes],
      [Op.MetadataIndex, this.metadataIndexes],
    ] as const) {
      const start = this.position;
      for (const record of records) this.put(record);
      if (records.length === 0) continue;
      groups.push(
        new RecordBody()
          .u8(op)
          .u64(start)
          .u64(this.position - start)
          .record(Op.SummaryOffset),
      );
    }
    const offsetsStart = this.position;
    for (const group of groups) this.put(group);
    const footer = new RecordBody().u64(summaryStart).u64(offsetsStart).u32(0).record(Op.Footer);
    const covered = footer.subarray(0, footer.length - 4);
    const crc = this.codecs.crc32(covered, this.crc);
    this.put(covered);
    this.put(new RecordBody().u32(crc).body());
    this.put(MCAP_MAGIC);
  }

  private statistics(): Uint8Array {
    const body = new RecordBody()
      .u64(this.messageCount)
      .u16(this.schemas.length)
      .u32(this.channels.length)
      .u32(0)
      .u32(this.metadataIndexes.length)
      .u32(this.chunkIndexes.length)
      .u64(this.range?.start ?? 0n)
      .u64(this.range?.end ?? 0n)
      .u32(10 * this.counts.size);
    for (const [channelId, count] of this.counts) body.u16(channelId).u64(count);
    return body.record(Op.Statistics);
  }
}
