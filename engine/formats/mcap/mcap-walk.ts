import { toDataView } from "@/engine/bytes";
import { emptyAttachments } from "@/engine/formats/attachment";
import { leaveOut } from "@/engine/formats/indexed-file";
import { addAttachment } from "@/engine/formats/mcap/attachments";
import type { McapChunk, McapFileParts, McapIndex } from "@/engine/formats/mcap/mcap-index";
import {
  Malformed,
  MCAP_MAGIC,
  MESSAGE_HEAD,
  Op,
  readChunkHead,
  readStatistics,
  RECORD_HEAD,
  sizeAt,
  type ChunkIndexRecord,
} from "@/engine/formats/mcap/mcap-records";
import { readFooter, readSummary } from "@/engine/formats/mcap/mcap-summary";
import { RecordingError } from "@/engine/formats/recording-error";

/** Messages outside chunks are grouped into bare chunks of about this many bytes. */
const BARE_CHUNK_BYTES = 1024 * 1024;
const MAX_CHANNEL_BYTES = 1024 * 1024;
/** Neighbouring small chunks are treated as one up to this size, decompressed. */
const JOINED_BYTES = 16 * 1024;
/** More than enough for a chunk's fields before its compressed records. */
const CHUNK_HEAD = 256;

/**
 * Lists the chunks of an MCAP file, from the summary section when that is consistent. The rest of the file is scanned
 * record by record, so that a missing, partial or wrong summary never hides messages. The scan only moves forward, so
 * that cyclic offsets cannot keep it running.
 */
export async function indexMcap(parts: McapFileParts, useSummary = true): Promise<McapIndex> {
  const { source, warnings, allowance } = parts;
  const index: McapIndex = {
    chunks: [],
    statistics: null,
    truncated: false,
    truncatedEnd: null,
    attachments: emptyAttachments(),
  };
  const footer = await readFooter(source);
  if (footer === null) index.truncated = true;
  let known: ChunkIndexRecord[] = [];
  if (footer !== null && useSummary) known = (await readSummary(parts, footer, index)) ?? [];
  if (!(await new McapWalk(parts, index, known).run())) {
    warnings.add("The index does not agree with the stored chunks; the file was read through instead.");
    for (const chunk of index.chunks) allowance.discountChunks(chunk.uncompressedBytes);
    index.chunks = [];
    index.attachments = emptyAttachments();
    await new McapWalk(parts, index, []).run();
  }
  if (index.truncated) {
    warnings.add("The file is cut off: it ends before its recorder closed it.");
    // The index of the last complete chunk may itself be cut: that chunk is read instead.
    const last = index.chunks.findLast((chunk) => !chunk.cut && !chunk.bare);
    if (last !== undefined) last.indexLength = 0;
  }
  parts.file.lost.length = 0;
  index.chunks = leaveOut(index.chunks, parts.file, warnings);
  return index;
}

/** Whether two chunks are small and lie next to each other, so that they may be treated as one. */
function canJoin(before: McapChunk, chunk: McapChunk): boolean {
  const whole = [before, chunk].every(({ bare, cut, excess }) => !bare && !cut && excess === null);
  return (
    whole &&
    before.indexOffset + before.indexLength === chunk.offset &&
    before.uncompressedBytes + chunk.uncompressedBytes <= JOINED_BYTES &&
    chunk.offset + chunk.length - before.offset <= JOINED_BYTES &&
    (before.channelIds === null) === (chunk.channelIds === null)
  );
}

/** One forward scan of the records of the data section that skips the chunks already known. */
class McapWalk {
  private position: number = MCAP_MAGIC.length;
  private bareChunk: McapChunk | null = null;
  /** Of the last chunk, from the message indexes behind it or from its messages. */
  private readonly ids = new Set<number>();

  constructor(
    private readonly parts: McapFileParts,
    private readonly index: McapIndex,
    private readonly known: ChunkIndexRecord[],
  ) {}

  /** False when a record runs into a chunk the index lists, or a listed chunk is never reached. */
  async run(): Promise<boolean> {
    const { size } = this.parts.source;
    let next = 0;
    for (let steps = 0; ; steps++) {
      if ((steps & 63) === 0) this.parts.allowance.checkTime();
      const expected = this.known[next];
      if (expected?.offset === this.position) {
        this.addKnown(expected);
        next += 1;
        continue;
      }
      const head = await this.parts.source.read(this.position, RECORD_HEAD);
      if (head.length < RECORD_HEAD) break;
      const op = head[0] ?? 0;
      const length = sizeAt(toDataView(head), 1);
      const end = this.position + RECORD_HEAD + length;
      if (op === Op.Footer || (op === Op.DataEnd && this.known.length > 0)) break;
      if (end > size) {
        await this.cutOff(op);
        break;
      }
      if (expected !== undefined && end > expected.offset) return false;
      await this.record(op, length);
      this.position = end;
    }
    this.endChunk();
    return next === this.known.length;
  }

  /** Records of the chunk before end here. */
  private endChunk(): void {
    const { chunks } = this.index;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && this.ids.size > 0) {
      chunk.channelIds = this.union(chunk.channelIds, this.ids);
      this.ids.clear();
    }
    this.bareChunk = null;
    const before = chunks.at(-2);
    if (chunk === undefined || before === undefined || !canJoin(before, chunk)) return;
    chunks.pop();
    before.joined += 1;
    before.length = chunk.offset + chunk.length - before.offset;
    before.indexOffset = chunk.indexOffset;
    before.indexLength = chunk.indexLength;
    before.uncompressedBytes += chunk.uncompressedBytes;
    if (chunk.startTime < before.startTime) before.startTime = chunk.startTime;
    if (chunk.endTime > before.endTime) before.endTime = chunk.endTime;
    if (chunk.channelIds !== null) before.channelIds = this.union(before.channelIds, chunk.channelIds);
  }

  private union(some: ReadonlySet<number> | null, more: ReadonlySet<number>): ReadonlySet<number> {
    return some === more ? some : this.parts.sets.get(new Set([...(some ?? []), ...more]));
  }

  private addKnown(entry: ChunkIndexRecord): void {
    const excess = this.measure(entry.compressedBytes, entry.uncompressedBytes);
    this.endChunk();
    this.index.chunks.push({
      file: this.parts.file,
      offset: entry.offset,
      length: entry.length,
      indexOffset: entry.offset + entry.length,
      indexLength: entry.indexLength,
      uncompressedBytes: excess === null ? entry.uncompressedBytes : 0,
      startTime: entry.startTime,
      endTime: entry.endTime,
      slots: null,
      bare: false,
      cut: false,
      joined: 1,
      excess,
      channelIds: entry.channelIds.length > 0 ? this.parts.sets.get(entry.channelIds) : null,
    });
    this.position = entry.offset + entry.length + entry.indexLength;
  }

  private async record(op: number, length: number): Promise<void> {
    const { catalogue } = this.parts;
    const body = this.position + RECORD_HEAD;
    try {
      if (op === Op.Message) await this.message(length);
      else if (op === Op.Chunk) await this.chunk(length);
      else if (op === Op.MessageIndex) await this.messageIndex(length);
      else if (op === Op.Schema) {
        catalogue.checkSchemaLength(length);
        catalogue.addSchema(await this.parts.source.read(body, length));
      } else if (op === Op.Channel) {
        // Its metadata may be long, and is of no use here.
        if (length > MAX_CHANNEL_BYTES) throw new RecordingError("A channel record holds more than 1 MiB.");
        catalogue.addChannel(await this.parts.source.read(body, length));
      } else if (op === Op.Attachment || op === Op.Metadata)
        await addAttachment(this.index.attachments, this.parts.source, (text) => this.parts.warnings.add(text), {
          op,
          at: this.position,
          length,
        });
      else if (op === Op.Statistics) this.index.statistics = readStatistics(await this.parts.source.read(body, length));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.parts.warnings.add("A damaged record was skipped.");
    }
  }

  private async chunk(length: number): Promise<void> {
    const head = readChunkHead(await this.parts.source.read(this.position + RECORD_HEAD, Math.min(length, CHUNK_HEAD)));
    const excess = this.measure(head.compressedBytes, head.uncompressedBytes);
    this.endChunk();
    this.index.chunks.push({
      file: this.parts.file,
      offset: this.position,
      length: RECORD_HEAD + length,
      indexOffset: this.position + RECORD_HEAD + length,
      indexLength: 0,
      uncompressedBytes: excess === null ? head.uncompressedBytes : 0,
      startTime: head.startTime,
      endTime: head.endTime,
      slots: null,
      bare: false,
      cut: false,
      joined: 1,
      excess,
      channelIds: null,
    });
  }

  /** Counts a chunk's declared size, unless the chunk is too large to be read: then returns why. */
  private measure(compressed: number, uncompressed: number): string | null {
    const excess = this.parts.allowance.chunkExcess(compressed, uncompressed);
    if (excess === null) this.parts.allowance.addChunk(uncompressed);
    return excess;
  }

  /** Joins a message index to the chunk it follows. */
  private async messageIndex(length: number): Promise<void> {
    const chunk = this.index.chunks.at(-1);
    if (chunk === undefined || chunk.bare || chunk.indexOffset + chunk.indexLength !== this.position) return;
    const head = await this.parts.source.read(this.position + RECORD_HEAD, Math.min(length, 6));
    if (head.length < 6) throw new Malformed("a message index is too short");
    chunk.indexLength += RECORD_HEAD + length;
    const view = toDataView(head);
    if (view.getUint32(2, true) > 0) this.ids.add(view.getUint16(0, true));
  }

  private async message(length: number): Promise<void> {
    if (length < MESSAGE_HEAD) throw new Malformed("a message is too short");
    const head = toDataView(await this.parts.source.read(this.position + RECORD_HEAD, MESSAGE_HEAD));
    const channelId = head.getUint16(0, true);
    const time = head.getBigInt64(6, true);
    const end = this.position + RECORD_HEAD + length;
    let bare = this.bareChunk;
    const excess = this.parts.allowance.chunkExcess(length, length);
    if (bare === null || excess !== null || end - bare.offset > BARE_CHUNK_BYTES) {
      if (excess === null) this.parts.allowance.addChunk(length);
      this.endChunk();
      bare = {
        file: this.parts.file,
        offset: this.position,
        length: 0,
        indexOffset: 0,
        indexLength: 0,
        uncompressedBytes: 0,
        startTime: time,
        endTime: time,
        slots: null,
        bare: true,
        cut: false,
        joined: 1,
        excess,
        channelIds: null,
      };
      this.bareChunk = excess === null ? bare : null;
      this.index.chunks.push(bare);
    }
    bare.length = end - bare.offset;
    if (bare.excess === null) bare.uncompressedBytes = bare.length;
    this.ids.add(channelId);
    if (time < bare.startTime) bare.startTime = time;
    if (time > bare.endTime) bare.endTime = time;
  }

  /** The file ends inside a record: of a chunk, what came before the end may still be readable. */
  private async cutOff(op: number): Promise<void> {
    this.index.truncated = true;
    if (op !== Op.Chunk) return;
    const length = this.parts.source.size - this.position;
    try {
      await this.chunk(length - RECORD_HEAD);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return;
    }
    const chunk = this.index.chunks.at(-1);
    if (chunk === undefined) return;
    chunk.cut = true;
    this.index.truncatedEnd = chunk.endTime;
  }
}
