import { latin1Text, utf8Text, toDataView } from "@/engine/bytes";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import { emptyRange, type ChunkRef, type IndexedFile, type Warnings } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import type { OpenContext } from "@/engine/formats/open-context";
import type { ReadAhead } from "@/engine/formats/read-ahead";
import { RecordingError } from "@/engine/formats/recording-error";
import {
  BAG_MAGIC,
  bagTime,
  BagOp,
  eachBagRecord,
  fieldSize,
  fieldU32,
  readOpcode,
  readFields,
  readIndexTimes,
  type BagFields,
} from "@/engine/formats/rosbag/rosbag-records";
import { widenBy } from "@/engine/formats/stats/time-lists";
import { toTopicName } from "@/engine/formats/topic-name";

const MAX_INDEX = 64 * 1024 * 1024;
/** A record header holds a handful of short fields; a bag header is padded in its data, not here. */
const MAX_HEADER = 1024 * 1024;
const NOTHING = new Uint8Array(0);

export interface BagChunk extends ChunkRef {
  /** Where the compressed data starts in the file, and how it is compressed. */
  dataOffset: number;
  compression: string;
  cut: boolean;
  /** Why it is too large to be read; null when it is not. */
  excess: string | null;
  /** Connections with messages in it; null when unknown. */
  connections: Set<number> | null;
}

/** The connections of one bag. The first definition of a number wins. */
export class BagConnections {
  readonly slots = new Map<number, number>();
  readonly definitions: ChannelDefinition[] = [];

  private readonly allowance: Allowance;
  private readonly warnings: Warnings;

  constructor({ allowance, warnings }: Pick<OpenContext, "allowance" | "warnings">) {
    this.allowance = allowance;
    this.warnings = warnings;
  }

  add(header: BagFields, data: Uint8Array): void {
    const id = fieldU32(header, "conn");
    if (id === null || this.slots.has(id)) return;
    const fields = readFields(data);
    const text = (name: string): string => utf8Text(fields.get(name) ?? NOTHING);
    const definition = fields.get("message_definition") ?? NOTHING;
    this.allowance.addChannel();
    this.allowance.checkSchema(definition.length);
    this.slots.set(id, this.definitions.length);
    if (text("type") === "") this.warnings.add("A connection does not name its message type.");
    const topic = header.get("topic");
    this.definitions.push({
      topic: toTopicName(topic === undefined ? text("topic") : utf8Text(topic), this.warnings),
      messageEncoding: "ros1",
      schemaName: text("type"),
      schemaEncoding: "ros1msg",
      schemaData: new Uint8Array(definition),
    });
  }
}

export interface BagParts extends Pick<OpenContext, "allowance" | "warnings"> {
  file: IndexedFile;
  source: ReadAhead;
  connections: BagConnections;
}

/** Lists the chunks of a bag: from its index section when that agrees with the chunks, else by a walk over the file. */
export async function indexBag(parts: BagParts, useIndex = true): Promise<{ chunks: BagChunk[]; truncated: boolean }> {
  const header = await readHead(parts.source, BAG_MAGIC.length);
  const indexAt =
    header !== null && readOpcode(header.fields) === BagOp.BagHeader ? fieldSize(header.fields, "index_pos") : null;
  if (indexAt === null) throw new RecordingError("The bag has no bag header.");
  if (indexAt === 0) parts.warnings.add("The bag was not closed by its recorder; it was read through instead.");
  else if (indexAt > parts.source.size) {
    parts.warnings.add("The bag's index lies beyond the end of the file; it was read through instead.");
  } else if (useIndex) {
    const chunks = await readIndexSection(parts, indexAt, header?.fields ?? new Map());
    if (chunks !== null) return { chunks, truncated: false };
    parts.warnings.add("The bag's index does not agree with its chunks; it was read through instead.");
  }
  return walk(parts, indexAt === 0 || indexAt > parts.source.size);
}

interface RecordHead {
  fields: BagFields;
  dataOffset: number;
  dataLength: number;
  /** Where the next record starts; beyond the file's end when this one is cut off. */
  end: number;
}

/** The header of the record at a position, or null where there is no complete header. */
export async function readHead(source: ReadAhead, at: number): Promise<RecordHead | null> {
  const first = await source.read(at, 4);
  if (first.length < 4) return null;
  const length = toDataView(first).getUint32(0, true);
  if (length > MAX_HEADER || at + 8 + length > source.size) return null;
  const header = await source.read(at + 4, length + 4);
  if (header.length < length + 4) return null;
  const dataLength = toDataView(header).getUint32(length, true);
  const dataOffset = at + 8 + length;
  return { fields: readFields(header.subarray(0, length)), dataOffset, dataLength, end: dataOffset + dataLength };
}

function chunkAt(parts: BagParts, at: number, head: RecordHead): BagChunk {
  const uncompressedBytes = fieldU32(head.fields, "size") ?? head.dataLength;
  const excess = parts.allowance.chunkExcess(head.dataLength, uncompressedBytes);
  if (excess === null) parts.allowance.addChunk(uncompressedBytes);
  const range = emptyRange();
  const compression = head.fields.get("compression");
  return {
    file: parts.file,
    offset: at,
    length: head.end - at,
    indexOffset: head.end,
    indexLength: 0,
    uncompressedBytes: excess === null ? uncompressedBytes : 0,
    startTime: range.start,
    endTime: range.end,
    slots: null,
    dataOffset: head.dataOffset,
    compression: compression === undefined ? "none" : latin1Text(compression),
    cut: false,
    excess,
    connections: null,
  };
}

async function readIndexSection(parts: BagParts, indexAt: number, header: BagFields): Promise<BagChunk[] | null> {
  const { source, connections, allowance } = parts;
  if (source.size - indexAt > MAX_INDEX) return null;
  const bytes = await source.read(indexAt, source.size - indexAt);
  const infos: { at: number; start: bigint; end: bigint; connections: Set<number> }[] = [];
  let found = 0;
  const complete = eachBagRecord(bytes, (headerAt, headerLength, dataAt, dataLength) => {
    const fields = readFields(bytes.subarray(headerAt, headerAt + headerLength));
    const data = bytes.subarray(dataAt, dataAt + dataLength);
    if (readOpcode(fields) === BagOp.Connection) {
      connections.add(fields, data);
      found += 1;
    } else if (readOpcode(fields) === BagOp.ChunkInfo) {
      const start = fields.get("start_time");
      const end = fields.get("end_time");
      const ids = new Set<number>();
      const counts = toDataView(data);
      for (let i = 0; i + 8 <= data.length; i += 8)
        if (counts.getUint32(i + 4, true) > 0) ids.add(counts.getUint32(i, true));
      infos.push({
        at: fieldSize(fields, "chunk_pos") ?? -1,
        start: start?.length === 8 ? bagTime(toDataView(start), 0) : -1n,
        end: end?.length === 8 ? bagTime(toDataView(end), 0) : -1n,
        connections: ids,
      });
    }
  });
  if (!complete || infos.length !== fieldU32(header, "chunk_count") || found !== fieldU32(header, "conn_count"))
    return null;
  infos.sort((a, b) => a.at - b.at);
  const chunks: BagChunk[] = [];
  let free = BAG_MAGIC.length;
  for (const info of infos) {
    allowance.checkTime();
    if (info.at < free || info.at >= indexAt) return discard(allowance, chunks);
    const head = await readHead(parts.source, info.at);
    if (head === null || readOpcode(head.fields) !== BagOp.Chunk || head.end > indexAt)
      return discard(allowance, chunks);
    const chunk = chunkAt(parts, info.at, head);
    chunks.push(chunk);
    if (info.connections.size > 0 && info.start >= 0n && info.end >= info.start) {
      chunk.startTime = info.start;
      chunk.endTime = info.end;
    }
    chunk.connections = info.connections;
    free = head.end;
  }
  return chunks;
}

function discard(allowance: Allowance, chunks: BagChunk[]): null {
  for (const chunk of chunks) allowance.discountChunks(chunk.uncompressedBytes);
  return null;
}

/** One forward pass over the records of the file. */
async function walk(parts: BagParts, unclosed: boolean): Promise<{ chunks: BagChunk[]; truncated: boolean }> {
  const { source, connections, allowance, warnings } = parts;
  const chunks: BagChunk[] = [];
  let truncated = unclosed;
  let at = BAG_MAGIC.length;
  let bareMessages = false;
  for (let steps = 0; at < source.size; steps++) {
    if ((steps & 63) === 0) allowance.checkTime();
    const head = await readHead(parts.source, at);
    if (head === null) {
      truncated = true;
      break;
    }
    const op = readOpcode(head.fields);
    const cut = head.end > source.size;
    if (op === BagOp.Chunk) {
      const chunk = chunkAt(parts, at, head);
      chunk.cut = cut;
      chunk.length = Math.min(chunk.length, source.size - at);
      chunks.push(chunk);
    } else if (!cut && op === BagOp.Connection) {
      allowance.checkSchema(head.dataLength, false);
      connections.add(head.fields, await source.read(head.dataOffset, head.dataLength));
    } else if (!cut && op === BagOp.IndexData) {
      const chunk = chunks.at(-1);
      if (chunk !== undefined && chunk.indexOffset + chunk.indexLength === at) {
        if (await takeIndex(chunk, head, source)) chunk.indexLength += head.end - at;
        else chunk.connections = null;
      }
    } else if (op === BagOp.Message) bareMessages = true;
    if (cut) {
      truncated = true;
      break;
    }
    at = head.end;
  }
  if (bareMessages) warnings.add("Messages outside chunks are not part of the bag format and were left out.");
  if (truncated) {
    warnings.add("The file is cut off: it ends before its recorder closed it.");
    const last = chunks.findLast((chunk) => !chunk.cut);
    if (last !== undefined) {
      last.indexLength = 0;
      last.connections = null;
    }
  }
  return { chunks, truncated };
}

/** Widens a chunk's range and connections by one of the index records behind it; false for one that is damaged. */
async function takeIndex(chunk: BagChunk, head: RecordHead, source: ReadAhead): Promise<boolean> {
  const connection = fieldU32(head.fields, "conn");
  if (connection === null || head.dataLength > MAX_INDEX) return false;
  const times = readIndexTimes(await source.read(head.dataOffset, head.dataLength), head.fields);
  if (times === null) return false;
  if (times.length === 0) return true;
  const range = { start: chunk.startTime, end: chunk.endTime };
  widenBy(range, times);
  chunk.startTime = range.start;
  chunk.endTime = range.end;
  (chunk.connections ??= new Set()).add(connection);
  return true;
}
