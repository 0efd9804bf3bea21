import { compressLz4 } from "@/engine/testing/lz4-writer";
import { RecordBytes } from "@/engine/testing/record-bytes";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";

export interface BagOptions {
  compression?: "none" | "lz4" | "bz2";
  /** Starts a new chunk after this many bytes. Default 64 KiB. */
  chunkBytes?: number;
  /** Leaves the file as a recorder that was killed does: no index section, and none named in the bag header. */
  unclosed?: boolean;
  /** Compresses a chunk for "bz2", for which there is no compressor here. */
  compress?: (records: Buffer) => Buffer;
}

interface OpenChunk {
  parts: Buffer[];
  bytes: number;
  index: Map<number, { time: bigint; at: number }[]>;
}

/** The bytes of a ROS 1 bag with these messages, stored in the order given. */
export function writeBag(channels: TestChannel[], messages: Iterable<TestMessage>, options: BagOptions = {}): Buffer {
  const { compression = "none", chunkBytes = 65_536, unclosed = false, compress } = options;
  const out: Buffer[] = [Buffer.from("#ROSBAG V2.0\n")];
  let position = 13 + 4096;
  const ids = new Map(channels.map((channel, i) => [channel.topic, i]));
  const described = new Set<number>();
  const infos: Buffer[] = [];
  let chunk: OpenChunk = { parts: [], bytes: 0, index: new Map() };
  const body: Buffer[] = [];

  const push = (bytes: Buffer): void => {
    chunk.parts.push(bytes);
    chunk.bytes += bytes.length;
  };
  const endChunk = (): void => {
    if (chunk.bytes === 0) return;
    const records = Buffer.concat(chunk.parts);
    const compressed = compress?.(records) ?? (compression === "lz4" ? compressLz4(records) : records);
    const fields = { op: u8(5), compression: Buffer.from(compression), size: u32(records.length) };
    const written = [bagRecord(fields, compressed)];
    const counts = new RecordBytes();
    for (const [id, entries] of chunk.index) {
      const data = Buffer.concat(entries.map(({ time, at }) => Buffer.concat([writeTime(time), u32(at)])));
      written.push(bagRecord({ op: u8(4), ver: u32(1), conn: u32(id), count: u32(entries.length) }, data));
      counts.u32(id).u32(entries.length);
    }
    const times = [...chunk.index.values()].flat().map((entry) => entry.time);
    infos.push(
      bagRecord(
        {
          op: u8(6),
          ver: u32(1),
          chunk_pos: u64(position),
          start_time: writeTime(times.reduce((min, time) => (time < min ? time : min), times[0] ?? 0n)),
          end_time: writeTime(times.reduce((max, time) => (time > max ? time : max), 0n)),
          count: u32(chunk.index.size),
        },
        counts.done(),
      ),
    );
    for (const bytes of written) position += bytes.length;
    body.push(...written);
    chunk = { parts: [], bytes: 0, index: new Map() };
  };

  for (const message of messages) {
    const id = ids.get(message.topic);
    if (id === undefined) throw new Error(`no channel ${message.topic}`);
    if (!described.has(id)) {
      described.add(id);
      push(writeConnection(channels[id]!, id));
    }
    const entries = chunk.index.get(id) ?? [];
    entries.push({ time: message.time, at: chunk.bytes });
    chunk.index.set(id, entries);
    push(bagRecord({ op: u8(2), conn: u32(id), time: writeTime(message.time) }, Buffer.from(message.data)));
    if (chunk.bytes >= chunkBytes) endChunk();
  }
  endChunk();
  const header = { index_pos: u64(unclosed ? 0 : position), conn_count: u32(unclosed ? 0 : described.size) };
  out.push(bagHeader({ op: u8(3), ...header, chunk_count: u32(unclosed ? 0 : infos.length) }), ...body);
  if (!unclosed) out.push(...[...described].map((id) => writeConnection(channels[id]!, id)), ...infos);
  return Buffer.concat(out);
}

function writeConnection(channel: TestChannel, id: number): Buffer {
  const data = writeFields({
    topic: Buffer.from(channel.topic),
    type: Buffer.from(channel.schemaName ?? ""),
    md5sum: Buffer.from("0".repeat(32)),
    message_definition: Buffer.from(channel.schema ?? ""),
  });
  return bagRecord({ op: u8(7), conn: u32(id), topic: Buffer.from(channel.topic) }, data);
}

/** The bag header is padded so that it can be rewritten in place. */
function bagHeader(fields: Record<string, Buffer>): Buffer {
  const length = writeFields(fields).length;
  return bagRecord(fields, Buffer.alloc(4096 - 8 - length, 0x20));
}

/** One record of a bag, for tests that build files the writer would never make. */
export function bagRecord(fields: Record<string, Buffer>, data: Buffer): Buffer {
  const header = writeFields(fields);
  return Buffer.concat([u32(header.length), header, u32(data.length), data]);
}

function writeFields(fields: Record<string, Buffer>): Buffer {
  const parts = Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from(`${name}=`), value]));
  return Buffer.concat(parts.map((part) => Buffer.concat([u32(part.length), part])));
}

const u8 = (value: number): Buffer => new RecordBytes().u8(value).done();
const u32 = (value: number): Buffer => new RecordBytes().u32(value).done();
const u64 = (value: number): Buffer => new RecordBytes().u64(value).done();

function writeTime(time: bigint): Buffer {
  return new RecordBytes()
    .u32(Number(time / 1_000_000_000n))
    .u32(Number(time % 1_000_000_000n))
    .done();
}
