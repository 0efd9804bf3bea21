import { open, type FileHandle } from "node:fs/promises";
import { latin1Text, toDataView } from "@/engine/bytes";
import { NotConvertible } from "@/engine/formats/conversion";
import { UlogFormats, type UlogLayout } from "@/server/features/conversions/ulog-format";
import { messageHeader, Soundness } from "@/server/features/conversions/ulog-soundness";

/** `ULog`, 01 12 35, and the version. */
const magic = "ULog\u0001\u0012\u0035";
const headerBytes = 16;
const blockBytes = 1024 * 1024;
const maxMessageBytes = messageHeader + 65_535;
/** What has to be at hand behind a place to judge what is there. */
const reserveBytes = 3 * maxMessageBytes;
const flagBits = { bytes: 40, appended: 16 };

/** A message of a log; its bytes are only valid until the next one is read. */
export interface UlogMessage {
  /** The letter of its type: `F`, `A`, `D` and others. */
  type: string;
  body: Uint8Array;
  view: DataView;
  /** Where it begins in the file. */
  position: number;
}

/** A topic that a log declares; `timestamp`: where the field is in its data. */
export interface UlogTopic {
  name: string;
  layout: UlogLayout;
  timestamp: number;
}

/** Reads the messages of a ULog file from front to back. Source: PX4's "ULog File Format". */
export class UlogFile {
  /** Microseconds since the vehicle was started, or since 1970. */
  readonly startedAt: bigint;
  /** What the messages so far declared. */
  formats = new UlogFormats();
  readonly topics = new Map<number, UlogTopic | null>();
  /** The last section ends within a message. */
  truncated = false;
  /** Bytes that are no messages, and in how many places. */
  readonly skipped = { places: 0, bytes: 0 };
  /** Where data was appended after the log was closed; a message may be cut off before. */
  private appended: number[] = [];
  private readonly block = new Uint8Array(blockBytes);
  private readonly soundness = new Soundness(this.block, this.topics);

  private constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
    head: Uint8Array,
  ) {
    this.startedAt = toDataView(head).getBigUint64(8, true);
  }

  /** Throws a NotConvertible for another file. */
  static async open(path: string): Promise<UlogFile> {
    const handle = await open(path, "r");
    try {
      const head = new Uint8Array(headerBytes);
      const { bytesRead } = await handle.read(head, 0, headerBytes, 0);
      if (bytesRead < headerBytes || !latin1Text(head).startsWith(magic)) throw new NotConvertible("is no ULog file");
      return new UlogFile(handle, (await handle.stat()).size, head);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Visits all messages, in batches that are to be gone through one after the other. Goes on after damage, where a
   * message for synchronisation or others in a row are found. Throws a NotConvertible for a log that needs a newer reader.
   */
  async *batches(): AsyncGenerator<Iterable<UlogMessage>> {
    this.appended = [];
    this.truncated = false;
    this.formats = new UlogFormats();
    this.topics.clear();
    Object.assign(this.skipped, { places: 0, bytes: 0 });
    let from = headerBytes;
    for (let section = 0; ; section++) {
      // Known once the flags, the first message, are read.
      yield* this.section(from, () => this.appended[section] ?? this.size);
      const next = this.appended[section];
      if (next === undefined) return;
      from = next;
    }
  }

  private async *section(from: number, getEnd: () => number): AsyncGenerator<Iterable<UlogMessage>> {
    const part: Part = { start: from, filled: 0, at: from, lostFrom: null, getEnd };
    for (;;) {
      const left = part.start + part.filled - part.at;
      const wanted = Math.min(blockBytes - left, Math.max(0, getEnd() - part.at - left));
      this.block.copyWithin(0, part.filled - left, part.filled);
      const { bytesRead } = await this.handle.read(this.block, left, wanted, part.at + left);
      Object.assign(part, { start: part.at, filled: left + bytesRead });
      yield this.take(part);
      if (part.start + part.filled >= getEnd() || bytesRead < wanted) break;
    }
    this.endSection(part);
  }

  /** The messages of what is at hand, as far as they can be judged. */
  private *take(part: Part): Generator<UlogMessage> {
    const { block, soundness } = this;
    for (;;) {
      const end = part.getEnd();
      const limit = Math.min(part.filled, end - part.start);
      const stop = part.start + part.filled >= end ? limit : part.filled - reserveBytes;
      let at = part.at - part.start;
      if (at >= stop) return;
      const length = part.lostFrom === null ? soundness.measure(at, limit) : 0;
      if (length === 0) {
        part.lostFrom ??= part.at;
        at = soundness.find(at, stop, limit);
        part.at = part.start + (at < 0 ? stop : at);
        if (at >= 0) this.skip(part);
        continue;
      }
      const body = block.subarray(at + messageHeader, at + length);
      const type = String.fromCharCode(block[at + 2]!);
      const message = { type, body, view: toDataView(body), position: part.at };
      this.learn(message);
      yield message;
      part.at += length;
    }
  }

  private skip(part: Part): void {
    this.skipped.places += 1;
    this.skipped.bytes += part.at - (part.lostFrom ?? part.at);
    part.lostFrom = null;
  }

  /** What is left is a message that was cut off, unless it is longer than any. */
  private endSection(part: Part): void {
    const end = part.getEnd();
    const from = part.lostFrom ?? part.at;
    if (end - from > maxMessageBytes) this.skip({ ...part, at: end });
    this.truncated = from < end && end === this.size;
  }

  private learn(message: UlogMessage): void {
    const { type, body, view } = message;
    if (type === "B") this.readFlags(message);
    else if (type === "F") this.formats.add(body);
    else if (type === "A" && body.length > 3) {
      const name = latin1Text(body.subarray(3));
      const layout = this.formats.layout(name);
      const timestamp = layout?.find("timestamp") ?? null;
      const topic = layout === null || timestamp === null ? null : { name, layout, timestamp };
      this.topics.set(view.getUint16(1, true), topic);
    }
  }

  private readFlags({ body, view, position }: UlogMessage): void {
    if (position !== headerBytes || body.length < flagBits.bytes) return;
    // The first bit: data may be appended. A reader must refuse those it does not know.
    const incompatible = body.subarray(8, 16);
    if (incompatible.some((bits, at) => (at === 0 ? (bits & ~1) !== 0 : bits !== 0)))
      throw new NotConvertible("is a ULog file of a newer kind, which cannot be read");
    if ((incompatible[0]! & 1) === 0) return;
    for (let at = flagBits.appended; at < flagBits.bytes; at += 8) {
      const offset = Number(view.getBigUint64(at, true));
      if (offset > (this.appended.at(-1) ?? headerBytes) && offset < this.size) this.appended.push(offset);
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/** The part of a section that is at hand. Positions are those in the file. */
interface Part {
  /** The place of the first byte at hand, and how many are. */
  start: number;
  filled: number;
  /** The place of the next message. */
  at: number;
  /** The place of the first byte since the last message that is none; null where messages follow each other. */
  lostFrom: number | null;
  /** Where the section ends. */
  getEnd: () => number;
}
