import { toDataView } from "@/engine/bytes";
import { emptyAttachments } from "@/engine/formats/attachment";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import { compressionNamed, decompress } from "@/engine/formats/codecs/compression";
import {
  chunksAhead,
  emptyRange,
  leaveOut,
  pickRef,
  type ChunkRef,
  type ChunkTimes,
  type IndexedFile,
  type LostRange,
  type PackedFile,
  type RowFilter,
} from "@/engine/formats/indexed-file";
import { brokenChunk } from "@/engine/formats/mcap/mcap-messages";
import { MessageTable } from "@/engine/formats/message-table";
import type { OpenContext } from "@/engine/formats/open-context";
import type { ReadAhead } from "@/engine/formats/read-ahead";
import type { Channel } from "@/engine/formats/recording";
import { quoted } from "@/engine/formats/recording-error";
import {
  bagTimeHalves,
  BagOp,
  eachBagRecord,
  fieldU32,
  readOpcode,
  readFields,
  readIndexTimes,
} from "@/engine/formats/rosbag/rosbag-records";
import { BagConnections, indexBag, readHead, type BagChunk } from "@/engine/formats/rosbag/rosbag-walk";
import { widenBy } from "@/engine/formats/stats/time-lists";

const EVERYTHING: RowFilter = { slots: null, start: null, end: null };

/** Opens one ROS 1 bag: lists its chunks and connections, decompressing only what no index describes. */
export async function openRosbag(source: ReadAhead, context: OpenContext): Promise<IndexedFile> {
  const file = new RosbagFile(source, context);
  await file.build(indexBag);
  return file;
}

/** Opens a bag whose chunks are known. */
export function openPackedRosbag(packed: PackedFile, source: ReadAhead, context: OpenContext): IndexedFile {
  const file = new RosbagFile(source, context);
  file.restore(packed);
  return file;
}

/** How chunks of bags are compressed; those of other kinds cannot be read. */
const compressions = ["none", "lz4", "bz2"];

class RosbagFile implements IndexedFile {
  readonly format = "rosbag";
  chunks: BagChunk[] = [];
  channels: (Channel | undefined)[] = [];
  ranks: number[] = [];
  truncated = false;
  readonly truncatedEnd = null;
  readonly lost: LostRange[] = [];
  readonly attachments = emptyAttachments();
  private readonly connections: BagConnections;

  constructor(
    private readonly source: ReadAhead,
    private readonly context: OpenContext,
  ) {
    this.connections = new BagConnections(context);
  }

  get definitions(): ChannelDefinition[] {
    return this.connections.definitions;
  }

  async build(indexFile: typeof indexBag): Promise<void> {
    const { source, connections, context } = this;
    const index = await indexFile({ file: this, source, connections, ...context });
    this.chunks = leaveOut(index.chunks, this, context.warnings);
    this.truncated = index.truncated;
    await this.findConnections();
    for (const chunk of this.chunks) chunk.slots ??= this.getSlots(chunk.connections);
  }

  toPacked(): PackedFile {
    return {
      id: this.source.id ?? "",
      format: this.format,
      definitions: this.definitions,
      slots: [...this.connections.slots],
      chunks: this.chunks.map(({ cut, compression, dataOffset, ...chunk }) => ({
        ...pickRef(chunk),
        form: (dataOffset - chunk.offset) * 8 + (compressions.indexOf(compression) + 1) * 2 + (cut ? 1 : 0),
      })),
    };
  }

  restore({ definitions, slots, chunks }: PackedFile): void {
    this.connections.definitions.push(...definitions);
    for (const [id, slot] of slots) this.connections.slots.set(id, slot);
    this.chunks = chunks.map(({ form, ...chunk }) => ({
      ...chunk,
      file: this,
      indexOffset: 0,
      indexLength: 0,
      dataOffset: chunk.offset + (form >> 3),
      compression: compressions[((form >> 1) & 3) - 1] ?? "unknown",
      cut: form % 2 === 1,
      excess: null,
      connections: null,
    }));
  }

  /** A chunk that no index describes, or that names an unknown connection, is read for its definitions. */
  private async findConnections(): Promise<void> {
    const { slots } = this.connections;
    for (const chunk of this.chunks) {
      if (chunk.connections !== null && [...chunk.connections].every((id) => slots.has(id))) continue;
      this.context.allowance.checkTime();
      const data = await this.decompressChunk(chunk);
      eachBagRecord(data, (headerAt, headerLength, dataAt, dataLength) => {
        const fields = readFields(data.subarray(headerAt, headerAt + headerLength));
        if (readOpcode(fields) === BagOp.Connection)
          this.connections.add(fields, data.subarray(dataAt, dataAt + dataLength));
      });
      this.correct(chunk, this.scan(chunk, data, EVERYTHING));
    }
  }

  private getSlots(connections: ReadonlySet<number> | null): ReadonlySet<number> | null {
    if (connections === null) return null;
    const slots = [...connections].map((id) => this.connections.slots.get(id));
    return this.context.sets.get(slots.filter((slot) => slot !== undefined));
  }

  /** Chunk headers are read on opening, so there is nothing left to verify. */
  verify(): Promise<boolean> {
    return Promise.resolve(false);
  }

  prepare(chunk: BagChunk, what: "load" | "times", until: ChunkRef = chunk): void {
    // Its index records are read one by one, their lengths known only then.
    if (what === "load") this.source.prepare(chunk.dataOffset, until.offset + until.length - chunk.dataOffset);
  }

  /** Read where they are needed. */
  begin(): boolean {
    return false;
  }

  /** Each chunk has its own. */
  release(): void {}

  async load(chunk: BagChunk, filter: RowFilter, sorted = true, signal?: AbortSignal): Promise<MessageTable> {
    const table = this.scan(chunk, await this.decompressChunk(chunk, signal), filter);
    if (sorted) table.sort();
    return table;
  }

  timesAhead(): number {
    return chunksAhead;
  }

  async times(chunk: BagChunk): Promise<ChunkTimes> {
    const listed = chunk.connections === null || chunk.cut ? null : await this.listedTimes(chunk);
    return listed ?? this.correct(chunk, this.scan(chunk, await this.decompressChunk(chunk), EVERYTHING));
  }

  /** The times in the index records behind a chunk, or null when they do not cover its connections. */
  private async listedTimes(chunk: BagChunk): Promise<ChunkTimes | null> {
    const times: ChunkTimes = new Map();
    const range = emptyRange();
    for (let at = chunk.indexOffset; ;) {
      const head = await readHead(this.source, at);
      if (head === null || readOpcode(head.fields) !== BagOp.IndexData || head.end > this.source.size) break;
      const slot = this.connections.slots.get(fieldU32(head.fields, "conn") ?? -1);
      if (slot === undefined || times.has(slot) || head.dataLength > this.context.allowance.maxChunkBytes) return null;
      const list = readIndexTimes(await this.source.read(head.dataOffset, head.dataLength), head.fields);
      if (list === null) return null;
      widenBy(range, list);
      if (list.length > 0) times.set(slot, list);
      at = head.end;
    }
    if (times.size !== chunk.connections?.size) return null;
    chunk.startTime = range.start;
    chunk.endTime = range.end;
    return times;
  }

  private correct(chunk: BagChunk, table: MessageTable): ChunkTimes {
    const times = table.timesBySlot();
    const range = emptyRange();
    for (const list of times.values()) widenBy(range, list);
    chunk.startTime = range.start;
    chunk.endTime = range.end;
    chunk.slots = this.context.sets.get(times.keys());
    return times;
  }

  private async decompressChunk(chunk: BagChunk, signal?: AbortSignal): Promise<Uint8Array> {
    const length = chunk.offset + chunk.length - chunk.dataOffset;
    const compressed = await this.source.read(chunk.dataOffset, length, signal);
    const compression = compressionNamed(chunk.compression);
    if (compression === null || compression === "zstd") {
      this.context.warnings.addLoss(
        `Chunks compressed with ${quoted(chunk.compression, 20)} cannot be read and were left out.`,
      );
      return new Uint8Array(0);
    }
    const { data, complete } = decompress(this.context.codecs, compression, compressed, chunk.uncompressedBytes);
    if (data.buffer !== compressed.buffer) this.source.release(compressed);
    if (!complete && !chunk.cut) {
      const place = chunk.offset.toLocaleString("en");
      this.context.warnings.addLoss(`The chunk at byte ${place} is damaged; what could be decompressed was read.`);
      this.lost.push({ chunk, offset: chunk.offset, startTime: chunk.startTime, endTime: chunk.endTime });
    }
    return data;
  }

  private scan(chunk: BagChunk, data: Uint8Array, filter: RowFilter): MessageTable {
    const table = new MessageTable(this, data, data.length >> 8);
    const view = toDataView(data);
    const start = filter.start ?? 0n;
    const end = filter.end ?? 0x7fff_ffff_ffff_ffffn;
    const startHigh = Number(start >> 32n);
    const startLow = Number(start & 0xffff_ffffn);
    const endHigh = Number(end >> 32n);
    const endLow = Number(end & 0xffff_ffffn);
    let unknown = false;
    const isWhole = eachBagRecord(data, (headerAt, headerLength, dataAt, dataLength) => {
      const head = messageHead(view, headerAt, headerLength);
      if (head === null) return;
      const slot = this.connections.slots.get(head.connection);
      if (slot === undefined) unknown = true;
      if (slot === undefined || (filter.slots !== null && filter.slots[slot] !== true)) return;
      const { high, low } = bagTimeHalves(head.seconds, head.nanoseconds);
      if (high < startHigh || (high === startHigh && low < startLow)) return;
      if (high > endHigh || (high === endHigh && low > endLow)) return;
      // Bags have no sequence numbers: equal times on one topic are ordered by their payload.
      table.add(slot, high, low, high, low, 0, dataAt, dataLength);
    });
    const isPart = !isWhole && (chunk.cut || this.lost.some((range) => range.chunk === chunk));
    if (!isWhole && !isPart) this.context.warnings.addLoss(brokenChunk);
    if (unknown) this.context.warnings.addLoss("Messages of connections that the bag does not define were left out.");
    return table;
  }
}

const OP = 0x3d706f; // "op=" as its three bytes, little-endian

/** The fields of a message record, or null for another record. Read in place: this runs once per message. */
function messageHead(
  view: DataView,
  at: number,
  length: number,
): { connection: number; seconds: number; nanoseconds: number } | null {
  const end = at + length;
  let connection = -1;
  let seconds = -1;
  let nanoseconds = 0;
  let message = false;
  while (at + 8 <= end) {
    const size = view.getUint32(at, true);
    const next = at + 4 + size;
    if (next > end) break;
    const name = view.getUint32(at + 4, true);
    if (size === 4 && (name & 0xffffff) === OP) message = name >>> 24 === BagOp.Message;
    else if (size === 9 && name === 0x6e6e6f63) connection = view.getUint32(at + 9, true); // "conn"
    else if (size === 13 && name === 0x656d6974) {
      // "time"
      seconds = view.getUint32(at + 9, true);
      nanoseconds = view.getUint32(at + 13, true);
    }
    at = next;
  }
  return message && seconds >= 0 ? { connection, seconds, nanoseconds } : null;
}
