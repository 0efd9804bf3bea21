import { utf8Text, toDataView } from "@/engine/bytes";

/** Reads the records of the MCAP format (https://mcap.dev/spec) out of bytes already in memory. */

export const MCAP_MAGIC = Uint8Array.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]);

export const Op = {
  Header: 0x01,
  Footer: 0x02,
  Schema: 0x03,
  Channel: 0x04,
  Message: 0x05,
  Chunk: 0x06,
  MessageIndex: 0x07,
  ChunkIndex: 0x08,
  Attachment: 0x09,
  Metadata: 0x0c,
  MetadataIndex: 0x0d,
  SummaryOffset: 0x0e,
  Statistics: 0x0b,
  DataEnd: 0x0f,
} as const;

/** One byte of opcode and eight of length before every record. */
export const RECORD_HEAD = 9;
/** Channel, sequence, log time and publish time before a message's payload. */
export const MESSAGE_HEAD = 22;

/** Thrown within this folder when a record does not match its type. */
export class Malformed extends Error {}

/** A 64-bit size as a number. Beyond 2^53 it is no longer exact, but then it is past the end of any file anyway. */
export function sizeAt(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);
}

/** Reads fields one after another; throws Malformed beyond the end of the record. */
class Fields {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = toDataView(bytes);
  }

  private take(length: number): number {
    const from = this.at;
    if (from + length > this.bytes.length) throw new Malformed("a record is shorter than its fields");
    this.at += length;
    return from;
  }

  u16 = (): number => this.view.getUint16(this.take(2), true);
  u32 = (): number => this.view.getUint32(this.take(4), true);
  size = (): number => sizeAt(this.view, this.take(8));
  time = (): bigint => this.view.getBigInt64(this.take(8), true);
  slice = (length: number): Uint8Array => {
    const from = this.take(length);
    return this.bytes.subarray(from, from + length);
  };
  text = (): string => utf8Text(this.slice(this.u32()));
  get position(): number {
    return this.at;
  }
}

export interface SchemaRecord {
  id: number;
  name: string;
  encoding: string;
  data: Uint8Array;
}

export function readSchema(record: Uint8Array): SchemaRecord {
  const fields = new Fields(record);
  return { id: fields.u16(), name: fields.text(), encoding: fields.text(), data: fields.slice(fields.u32()) };
}

export interface ChannelRecord {
  id: number;
  schemaId: number;
  topic: string;
  messageEncoding: string;
}

export function readChannel(record: Uint8Array): ChannelRecord {
  const fields = new Fields(record);
  return { id: fields.u16(), schemaId: fields.u16(), topic: fields.text(), messageEncoding: fields.text() };
}

export interface ChunkHead {
  startTime: bigint;
  endTime: bigint;
  uncompressedBytes: number;
  crc: number;
  compression: string;
  compressedBytes: number;
  /** Where the compressed records start, from the start of the record's body. */
  bodyOffset: number;
}

/** Reads a chunk's fields before its compressed records; `record` may end anywhere after them. */
export function readChunkHead(record: Uint8Array): ChunkHead {
  const fields = new Fields(record);
  const head = {
    startTime: fields.time(),
    endTime: fields.time(),
    uncompressedBytes: fields.size(),
    crc: fields.u32(),
    compression: fields.text(),
    compressedBytes: fields.size(),
  };
  return { ...head, bodyOffset: fields.position };
}

export interface ChunkIndexRecord {
  startTime: bigint;
  endTime: bigint;
  offset: number;
  length: number;
  channelIds: number[];
  indexLength: number;
  compressedBytes: number;
  uncompressedBytes: number;
}

export function readChunkIndex(record: Uint8Array): ChunkIndexRecord {
  const fields = new Fields(record);
  const startTime = fields.time();
  const endTime = fields.time();
  const offset = fields.size();
  const length = fields.size();
  const map = toDataView(fields.slice(fields.u32()));
  const channelIds: number[] = [];
  for (let at = 0; at + 10 <= map.byteLength; at += 10) channelIds.push(map.getUint16(at, true));
  const indexLength = fields.size();
  fields.text();
  return {
    startTime,
    endTime,
    offset,
    length,
    channelIds,
    indexLength,
    compressedBytes: fields.size(),
    uncompressedBytes: fields.size(),
  };
}

/** The log times a message index lists for its channel; the positions beside them are not needed. */
export function readMessageIndex(record: Uint8Array): { channelId: number; times: BigInt64Array } {
  const fields = new Fields(record);
  const channelId = fields.u16();
  const pairs = toDataView(fields.slice(fields.u32()));
  const times = new BigInt64Array(Math.floor(pairs.byteLength / 16));
  const halves = new Uint32Array(times.buffer);
  for (let i = 0; i < times.length; i++) {
    halves[2 * i] = pairs.getUint32(i * 16, true);
    halves[2 * i + 1] = pairs.getUint32(i * 16 + 4, true);
  }
  return { channelId, times };
}

export interface AttachmentHead {
  logTime: bigint;
  createTime: bigint;
  name: string;
  mediaType: string;
  /** Bytes of the attachment, and where they start in the record's body. */
  length: number;
  bodyOffset: number;
}

/** Reads an attachment's fields before its bytes; `record` may end anywhere after them. */
export function readAttachmentHead(record: Uint8Array): AttachmentHead {
  const fields = new Fields(record);
  const head = {
    logTime: fields.time(),
    createTime: fields.time(),
    name: fields.text(),
    mediaType: fields.text(),
    length: fields.size(),
  };
  return { ...head, bodyOffset: fields.position };
}

/** The name of a metadata record; `record` may end anywhere after it. */
export const readMetadataName = (record: Uint8Array): string => new Fields(record).text();

/** A metadata record's keys and values, in the order stored. */
export function readMetadata(record: Uint8Array): { name: string; metadata: [string, string][] } {
  const fields = new Fields(record);
  const name = fields.text();
  const end = fields.u32() + fields.position;
  const metadata: [string, string][] = [];
  while (fields.position < end) metadata.push([fields.text(), fields.text()]);
  return { name, metadata };
}

export function readStatistics(record: Uint8Array): { messageCount: number; channelCount: number } {
  const fields = new Fields(record);
  const messageCount = fields.size();
  fields.u16();
  return { messageCount, channelCount: fields.u32() };
}

/**
 * Calls `visit` for every complete record in `bytes`; `at` is where its body starts. Returns false when the last record
 * is cut off or a length makes no sense, having visited all before it.
 */
export function eachRecord(bytes: Uint8Array, visit: (op: number, at: number, length: number) => void): boolean {
  const end = bytes.length;
  const view = toDataView(bytes);
  let at = 0;
  while (at + RECORD_HEAD <= end) {
    const length = view.getUint32(at + 1, true);
    const next = at + RECORD_HEAD + length;
    if (view.getUint32(at + 5, true) !== 0 || next > end) return false;
    visit(view.getUint8(at), at + RECORD_HEAD, length);
    at = next;
  }
  return at === end;
}
