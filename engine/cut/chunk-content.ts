import { toDataView } from "@/engine/bytes";
import { sortMessages } from "@/engine/cut/chunk-builder";
import type { WrittenChunk } from "@/engine/cut/mcap-output";
import type { IndexedMessages } from "@/engine/cut/mcap-output";
import type { FileNumbers, Numbering } from "@/engine/cut/numbering";
import type { SpanSource } from "@/engine/cut/span-source";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { compressionNamed, decompress } from "@/engine/formats/codecs/compression";
import type { ChunkRef, IndexedFile, PackedFile, RowFilter, Warnings } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import { unpackMcapChunk } from "@/engine/formats/mcap/mcap-index";
import { scanMessages, warnOfLeftOut } from "@/engine/formats/mcap/mcap-messages";
import {
  eachRecord,
  Malformed,
  MESSAGE_HEAD,
  Op,
  readChunkHead,
  RECORD_HEAD,
  type ChunkHead,
} from "@/engine/formats/mcap/mcap-records";
import { MessageTable } from "@/engine/formats/message-table";

const everything: RowFilter = { slots: null, start: null, end: null };

/** One file of the recording that is cut. */
export interface CutFile {
  packed: PackedFile;
  file: IndexedFile;
  source: SpanSource;
  numbers: FileNumbers;
  /** Its slots by its numbers of channels, as `scanMessages` takes them. */
  slots: Int32Array;
  /** How many chunk records each chunk consists of, and whether it is one that is complete; none for bags. */
  records: ReadonlyMap<ChunkRef, { count: number; plain: boolean }>;
}

/** The records that the chunks of an MCAP file consist of: small neighbours are treated as one. */
export function listRecords(packed: PackedFile, file: IndexedFile): CutFile["records"] {
  const records = new Map<ChunkRef, { count: number; plain: boolean }>();
  if (packed.format !== "mcap") return records;
  for (const [at, chunk] of packed.chunks.entries()) {
    const { bare, cut, joined } = unpackMcapChunk(chunk, file);
    const opened = file.chunks[at];
    if (opened && !bare) records.set(opened, { count: joined, plain: !cut && joined === 1 });
  }
  return records;
}

/** How many chunk records there are among bytes of a file. */
function countChunks(bytes: Uint8Array): number {
  let count = 0;
  eachRecord(bytes, (op) => {
    if (op === Op.Chunk) count += 1;
  });
  return count;
}

/** What a chunk holds; valid until the next one is read. */
export interface ChunkContent {
  table: MessageTable;
  /** How many chunk records could not be read, or not completely. */
  damaged: number;
  /** Its record, when that is sound. */
  whole: { record: Uint8Array; head: ChunkHead } | null;
}

/** Reads chunks for a cut: their messages, and their records where these may be copied. */
export class ChunkContents {
  private memory = new Uint8Array(0);

  constructor(
    private readonly codecs: Codecs,
    private readonly allowance: Allowance,
    private readonly warnings: Warnings,
  ) {}

  async read({ file, source, slots, records }: CutFile, chunk: ChunkRef): Promise<ChunkContent> {
    const record = records.get(chunk);
    const bytes = record && (await source.read(chunk.offset, chunk.length));
    if (bytes && record.plain) return this.readPlain(file, slots, bytes);
    const lost = file.lost.length;
    const table = await file.load(chunk, everything, false);
    const missing = bytes && record.count > 1 ? Math.max(0, record.count - countChunks(bytes)) : 0;
    return { table, damaged: file.lost.length - lost + missing, whole: null };
  }

  private readPlain(file: IndexedFile, slots: Int32Array, record: Uint8Array): ChunkContent {
    const { codecs, allowance, warnings } = this;
    const scan = (data: Uint8Array): MessageTable => {
      const table = new MessageTable(file, data, data.length >> 8);
      warnOfLeftOut(scanMessages(table, slots, everything), warnings);
      return table;
    };
    const none = () => ({ table: scan(new Uint8Array(0)), damaged: 1, whole: null });
    try {
      if (record[0] !== Op.Chunk) return none();
      const body = record.subarray(RECORD_HEAD);
      const head = readChunkHead(body);
      const { compressedBytes, uncompressedBytes, bodyOffset, crc } = head;
      const compression = compressionNamed(head.compression);
      if (compression === null || allowance.chunkExcess(compressedBytes, uncompressedBytes) !== null) return none();
      if (this.memory.length < uncompressedBytes) this.memory = new Uint8Array(uncompressedBytes);
      const packed = body.subarray(bodyOffset, bodyOffset + compressedBytes);
      const { data, complete } = decompress(codecs, compression, packed, uncompressedBytes, this.memory);
      const sound = complete && (crc === 0 || codecs.crc32(data) === crc);
      const exact = bodyOffset + compressedBytes === body.length;
      return { table: scan(data), damaged: sound ? 0 : 1, whole: sound && exact ? { record, head } : null };
    } catch (error) {
      if (error instanceof Malformed) return none();
      throw error;
    }
  }
}

/**
 * A chunk as it can be copied into the cut; null when it holds anything but wanted messages, or what streaming readers
 * would refuse.
 */
export function copyChunk(
  { table, whole }: ChunkContent,
  { kept }: FileNumbers,
  numbering: Numbering,
  range: TimeRange,
): WrittenChunk | null {
  if (whole === null || table.count === 0) return null;
  const { record, head } = whole;
  // A chunk that declares another range than it has would mislead readers.
  if (head.startTime < range.start || head.endTime > range.end) return null;
  const { data } = table;
  let messages = 0;
  let agrees = true;
  const complete = eachRecord(data, (op, at, length) => {
    if (op === Op.Message) messages += 1;
    else if (op === Op.Schema || op === Op.Channel) {
      const kind = op === Op.Schema ? "schema" : "channel";
      agrees &&= numbering.agrees(kind, data.subarray(at, at + length));
    } else agrees = false;
  });
  if (!complete || !agrees || messages !== table.count) return null;
  const view = toDataView(data);
  const lists = new Map<number, IndexedMessages>();
  let [start, end] = [table.time(0), table.time(0)];
  for (let row = 0; row < table.count; row++) {
    const slot = table.slot(row);
    if (kept[slot] !== true) return null;
    const time = table.time(row);
    if (time < start) start = time;
    if (time > end) end = time;
    const offset = table.offset(row) - MESSAGE_HEAD - RECORD_HEAD;
    let list = lists.get(slot);
    if (list === undefined) {
      const channelId = view.getUint16(offset + RECORD_HEAD, true);
      lists.set(slot, (list = { channelId, times: [], offsets: [] }));
    }
    list.times.push(time);
    list.offsets.push(offset);
  }
  if (start !== head.startTime || end !== head.endTime) return null;
  const { compression, compressedBytes, uncompressedBytes } = head;
  return {
    record,
    start,
    end,
    compression,
    compressedBytes,
    uncompressedBytes,
    messages: sortMessages(lists.values()),
  };
}
