import { open, type FileHandle } from "node:fs/promises";
import { latin1Text, toDataView } from "@/engine/bytes";
import { NotConvertible } from "@/engine/formats/conversion";

/** `ULog`, 01 12 35, and the version. */
const magic = "ULog\u0001\u0012\u0035";
const headerBytes = 16;
const messageHeader = 3;
const blockBytes = 1024 * 1024;
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

/** Reads the messages of a ULog file from front to back. Source: PX4's "ULog File Format". */
export class UlogFile {
  /** Microseconds since the vehicle was started. */
  readonly startedAt: bigint;
  /** Where data was appended after the log was closed; a message may be cut off before. */
  private appended: number[] = [];
  /** The last section ends within a message. */
  truncated = false;

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

  /** Visits all messages. Throws a NotConvertible for a log that needs a newer reader. */
  async *messages(): AsyncGenerator<UlogMessage> {
    this.appended = [];
    this.truncated = false;
    let from = headerBytes;
    for (let section = 0; ; section++) {
      // Known once the flags, the first message, are read.
      yield* this.section(from, () => this.appended[section] ?? this.size);
      const next = this.appended[section];
      if (next === undefined) return;
      from = next;
    }
  }

  private async *section(from: number, getEnd: () => number): AsyncGenerator<UlogMessage> {
    const block = new Uint8Array(blockBytes);
    let [start, filled] = [from, 0];
    for (let at = from; ;) {
      const end = getEnd();
      const left = start + filled - at;
      const size = left < messageHeader ? 0 : block[at - start]! | (block[at - start + 1]! << 8);
      if (left < messageHeader + size || left < messageHeader) {
        // A message has at most 65,538 bytes, so that one always fits.
        block.copyWithin(0, at - start, at - start + left);
        const wanted = Math.min(blockBytes - left, Math.max(0, end - at - left));
        const { bytesRead } = await this.handle.read(block, left, wanted, at + left);
        [start, filled] = [at, left + bytesRead];
        const known = filled >= messageHeader ? messageHeader + (block[0]! | (block[1]! << 8)) : messageHeader;
        if (filled < known) {
          this.truncated = filled > 0 && end === this.size;
          return;
        }
        continue;
      }
      if (at + messageHeader + size > end) return;
      const offset = at - start + messageHeader;
      const body = block.subarray(offset, offset + size);
      const message = { type: String.fromCharCode(block[offset - 1]!), body, view: toDataView(body), position: at };
      if (message.type === "B") this.readFlags(message);
      yield message;
      at += messageHeader + size;
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
