import { toDataView } from "@/engine/bytes";
import type { IndexedMessages, WrittenChunk } from "@/engine/cut/mcap-output";
import { RecordBody } from "@/engine/cut/record-body";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { MESSAGE_HEAD, Op, RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";

/** Compresses bytes as zstd; the result is used before the next call. */
export type CompressZstd = (bytes: Uint8Array) => Uint8Array;

/** Bytes of records after which a chunk is complete. */
const fullBytes = 1024 * 1024;

/** Of a message beside its payload. */
export interface MessageHead {
  sequence: number;
  logTime: bigint;
  publishTime: bigint;
}

/** Sorts the messages of each channel by time, which most are already. */
export function sortMessages(messages: Iterable<IndexedMessages>): IndexedMessages[] {
  return [...messages].map((list) => {
    const { channelId, times, offsets } = list;
    if (times.every((time, at) => at === 0 || times[at - 1]! <= time)) return list;
    const order = [...times.keys()].sort((a, b) => (times[a]! < times[b]! ? -1 : times[a]! > times[b]! ? 1 : a - b));
    return { channelId, times: order.map((at) => times[at]!), offsets: order.map((at) => offsets[at]!) };
  });
}

/** Collects messages for a new chunk. */
export class ChunkBuilder {
  private bytes = new Uint8Array(fullBytes + fullBytes / 4);
  private view = toDataView(this.bytes);
  private length = 0;
  private messages = new Map<number, IndexedMessages>();
  private start = 0n;
  private end = 0n;

  constructor(
    private readonly codecs: Pick<Codecs, "crc32">,
    private readonly compress: CompressZstd | null,
  ) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length >= fullBytes;
  }

  /** Adds a copy of a message. */
  add(channelId: number, { sequence, logTime, publishTime }: MessageHead, payload: Uint8Array): void {
    const at = this.length;
    const size = RECORD_HEAD + MESSAGE_HEAD + payload.length;
    this.reserve(at + size);
    const { view } = this;
    view.setUint8(at, Op.Message);
    view.setBigUint64(at + 1, BigInt(size - RECORD_HEAD), true);
    view.setUint16(at + 9, channelId, true);
    view.setUint32(at + 11, sequence, true);
    view.setBigUint64(at + 15, logTime, true);
    view.setBigUint64(at + 23, publishTime, true);
    this.bytes.set(payload, at + RECORD_HEAD + MESSAGE_HEAD);
    if (at === 0 || logTime < this.start) this.start = logTime;
    if (at === 0 || logTime > this.end) this.end = logTime;
    this.length += size;
    let list = this.messages.get(channelId);
    if (list === undefined) this.messages.set(channelId, (list = { channelId, times: [], offsets: [] }));
    list.times.push(logTime);
    list.offsets.push(at);
  }

  private reserve(bytes: number): void {
    if (bytes <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = toDataView(larger);
  }

  /** The chunk of what was added since the last call. */
  build(): WrittenChunk {
    const { codecs, compress, start, end } = this;
    const records = this.bytes.subarray(0, this.length);
    const compression = compress === null ? "" : "zstd";
    const packed = compress === null ? records : compress(records);
    const record = new RecordBody(packed.length + 64)
      .u64(start)
      .u64(end)
      .u64(records.length)
      .u32(codecs.crc32(records))
      .text(compression)
      .u64(packed.length)
      .raw(packed)
      .record(Op.Chunk);
    const sizes = { compressedBytes: packed.length, uncompressedBytes: records.length };
    const messages = sortMessages(this.messages.values());
    this.length = 0;
    this.messages = new Map();
    return { record, start, end, compression, ...sizes, messages };
  }
}
