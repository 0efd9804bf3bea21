import { crc32 } from "node:zlib";
import zstd from "@foxglove/wasm-zstd";
import { compressLz4 } from "@/engine/testing/lz4-writer";
import { RecordBytes } from "@/engine/testing/record-bytes";

/** A channel as a test describes it; channels with the same schema name share its first definition. */
export interface TestChannel {
  topic: string;
  messageEncoding: string;
  schemaName?: string;
  schemaEncoding?: string;
  schema?: string | Uint8Array;
}

export interface TestMessage {
  topic: string;
  /** Nanoseconds. */
  time: bigint;
  data: Uint8Array;
  publishTime?: bigint;
  sequence?: number;
}

export interface McapOptions {
  compression?: "" | "lz4" | "zstd";
  /** Starts a new chunk after this many bytes of records; 0 writes messages without chunks. Default 64 KiB. */
  chunkBytes?: number;
  /** Leaves out the summary section. */
  noSummary?: boolean;
  /** Leaves out the message index after every chunk. */
  noMessageIndex?: boolean;
  /** Writes zero for "not computed", as many recorders do. */
  noCrc?: boolean;
}

const MAGIC = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]);

/** The bytes of an MCAP file with these messages, stored in the order given. */
export async function writeMcap(
  channels: TestChannel[],
  messages: Iterable<TestMessage>,
  options: McapOptions = {},
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = await McapFileWriter.create((bytes) => parts.push(bytes), channels, options);
  for (const message of messages) writer.add(message);
  writer.close();
  return Buffer.concat(parts);
}

/** Writes an MCAP file piece by piece to `sink`; nothing but the open chunk and the index is kept. */
export class McapFileWriter {
  private position = 0;
  private chunk: Buffer[] = [];
  private chunkBytes = 0;
  private index = new Map<number, [bigint, number][]>();
  private readonly chunkIndexes: Buffer[] = [];
  private readonly ids = new Map<string, number>();
  private readonly described = new Set<number>();
  private readonly counts = new Map<number, number>();
  private first: bigint | null = null;
  private last = 0n;

  private constructor(
    private readonly sink: (bytes: Buffer) => void,
    private readonly channels: TestChannel[],
    private readonly options: McapOptions,
  ) {}

  static async create(
    sink: (bytes: Buffer) => void,
    channels: TestChannel[],
    options: McapOptions = {},
  ): Promise<McapFileWriter> {
    await zstd.isLoaded;
    const writer = new McapFileWriter(sink, channels, options);
    for (const [i, channel] of channels.entries()) writer.ids.set(channel.topic, i + 1);
    writer.write(MAGIC);
    writer.write(mcapRecord(0x01, new RecordBytes().text("").text("muster-test")));
    return writer;
  }

  add(message: TestMessage): void {
    const id = this.ids.get(message.topic);
    if (id === undefined) throw new Error(`no channel ${message.topic}`);
    if (!this.described.has(id)) {
      this.described.add(id);
      for (const record of this.writeDefinition(id)) this.push(record);
    }
    const at = this.chunkBytes;
    this.push(messageRecord(id, message));
    const entries = this.index.get(id) ?? [];
    entries.push([message.time, at]);
    this.index.set(id, entries);
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    if (this.first === null || message.time < this.first) this.first = message.time;
    if (message.time > this.last) this.last = message.time;
    if (this.chunkBytes >= (this.options.chunkBytes ?? 65_536)) this.endChunk();
  }

  /** Writes a record between the chunks: an attachment, or metadata. */
  addRecord(record: Buffer): void {
    this.endChunk();
    this.write(record);
  }

  private push(record: Buffer): void {
    if (this.options.chunkBytes === 0) return this.write(record);
    this.chunk.push(record);
    this.chunkBytes += record.length;
  }

  private writeDefinition(id: number): Buffer[] {
    const channel = this.channels[id - 1]!;
    const name = channel.schemaName ?? "";
    const schemaId = name === "" ? 0 : this.channels.findIndex((other) => other.schemaName === name) + 1;
    const schema = new RecordBytes()
      .u16(schemaId)
      .text(name)
      .text(channel.schemaEncoding ?? "");
    const data = Buffer.from(channel.schema ?? "");
    schema.u32(data.length).raw(data);
    const record = new RecordBytes().u16(id).u16(schemaId).text(channel.topic).text(channel.messageEncoding).u32(0);
    return [...(schemaId === 0 ? [] : [mcapRecord(0x03, schema)]), mcapRecord(0x04, record)];
  }

  /** Closes the open chunk; the next message starts another. */
  endChunk(): void {
    if (this.chunkBytes === 0 || this.options.chunkBytes === 0) return;
    const { compression = "", noCrc = false, noMessageIndex = false } = this.options;
    const records = Buffer.concat(this.chunk);
    const compressed =
      compression === "zstd" ? zstd.compress(records, 1) : compression === "lz4" ? compressLz4(records) : records;
    const times = [...this.index.values()].flat().map(([time]) => time);
    const start = times.reduce((min, time) => (time < min ? time : min), times[0] ?? 0n);
    const end = times.reduce((max, time) => (time > max ? time : max), 0n);
    const body = new RecordBytes()
      .u64(start)
      .u64(end)
      .u64(records.length)
      .u32(noCrc ? 0 : crc32(records));
    const chunk = mcapRecord(0x06, body.text(compression).u64(compressed.length).raw(compressed));
    const offset = this.position;
    this.write(chunk);
    const offsets = new RecordBytes();
    const indexAt = this.position;
    for (const [id, entries] of noMessageIndex ? [] : this.index) {
      offsets.u16(id).u64(this.position);
      const pairs = Buffer.alloc(entries.length * 16);
      for (const [i, [time, at]] of entries.entries()) {
        pairs.writeBigUInt64LE(time, i * 16);
        pairs.writeBigUInt64LE(BigInt(at), i * 16 + 8);
      }
      this.write(mcapRecord(0x07, new RecordBytes().u16(id).u32(pairs.length).raw(pairs)));
    }
    const map = offsets.done();
    const entry = new RecordBytes().u64(start).u64(end).u64(offset).u64(chunk.length).u32(map.length).raw(map);
    entry
      .u64(this.position - indexAt)
      .text(compression)
      .u64(compressed.length)
      .u64(records.length);
    this.chunkIndexes.push(mcapRecord(0x08, entry));
    this.chunk = [];
    this.chunkBytes = 0;
    this.index = new Map();
  }

  close(): void {
    this.endChunk();
    this.write(mcapRecord(0x0f, new RecordBytes().u32(0)));
    const summaryStart = this.position;
    const summary: Buffer[] = [];
    if (this.options.noSummary !== true) {
      for (const [i] of this.channels.entries()) summary.push(...this.writeDefinition(i + 1));
      summary.push(...this.chunkIndexes, this.statistics());
      for (const record of summary) this.write(record);
    }
    const start = summary.length === 0 ? 0 : summaryStart;
    const footer = mcapRecord(0x02, new RecordBytes().u64(start).u64(0).u32(0));
    if (start > 0 && this.options.noCrc !== true) {
      const covered = Buffer.concat([...summary, footer.subarray(0, footer.length - 4)]);
      footer.writeUInt32LE(crc32(covered), footer.length - 4);
    }
    this.write(footer);
    this.write(MAGIC);
  }

  private statistics(): Buffer {
    const total = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    const body = new RecordBytes()
      .u64(total)
      .u16(0)
      .u32(this.channels.length)
      .u32(0)
      .u32(0)
      .u32(this.chunkIndexes.length);
    return mcapRecord(
      0x0b,
      body
        .u64(this.first ?? 0n)
        .u64(this.last)
        .u32(0),
    );
  }

  private write(bytes: Buffer): void {
    this.position += bytes.length;
    this.sink(bytes);
  }
}

/** One record with its opcode and length, for tests that build files the writer would never make. */
export function mcapRecord(op: number, body: RecordBytes): Buffer {
  const bytes = body.done();
  return Buffer.concat([new RecordBytes().u8(op).u64(bytes.length).done(), bytes]);
}

/** An attachment with a wrong checksum: nothing reads it. */
export const attachmentRecord = (name: string, mediaType: string, data: Uint8Array, time = 7n): Buffer =>
  mcapRecord(
    0x09,
    new RecordBytes().u64(time).u64(8n).text(name).text(mediaType).u64(data.length).raw(Buffer.from(data)).u32(0),
  );

export function metadataRecord(name: string, values: Readonly<Record<string, string>>): Buffer {
  const map = new RecordBytes();
  for (const [key, value] of Object.entries(values)) map.text(key).text(value);
  const bytes = map.done();
  return mcapRecord(0x0c, new RecordBytes().text(name).u32(bytes.length).raw(bytes));
}

function messageRecord(id: number, message: TestMessage): Buffer {
  const { data } = message;
  const record = Buffer.allocUnsafe(31 + data.length);
  record[0] = 0x05;
  record.writeBigUInt64LE(BigInt(22 + data.length), 1);
  record.writeUInt16LE(id, 9);
  record.writeUInt32LE(message.sequence ?? 0, 11);
  record.writeBigUInt64LE(message.time, 15);
  record.writeBigUInt64LE(message.publishTime ?? message.time, 23);
  record.set(data, 31);
  return record;
}
