import type { UlogLayout } from "@/server/features/conversions/ulog-format";

/** Bytes before the body of a message: its size and the letter of its type. */
export const messageHeader = 3;
/** What PX4's logger writes twice a second, to be found after damage. */
const syncBytes = Uint8Array.of(0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12);
/** Messages in a row that are looked at before what may not be one is believed. */
const chain = 2;
/** Bytes of a name or a key that are looked at. */
const maxLookedAt = 128;

const types: ReadonlySet<number> = new Set([..."BFIMPQADRLCSO"].map((letter) => letter.charCodeAt(0)));

/** What a log declares of a topic, by which its data differ from other bytes. Null: it cannot be read. */
export type DeclaredTopics = ReadonlyMap<number, { layout: UlogLayout } | null>;

const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;
const isWord = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;

/** Separates messages from other bytes in a part of a log, which ends at `limit`. */
export class Soundness {
  constructor(
    private readonly bytes: Uint8Array,
    private readonly topics: DeclaredTopics,
  ) {}

  /** Bytes of the message at `at`, which may be of a type or with a content that is not known; 0 where there is none. */
  measure(at: number, limit: number): number {
    const length = this.length(at, limit);
    if (length === 0 || !isPrintable(this.bytes[at + 2]!)) return 0;
    return this.isSound(at, length) || this.isFollowed(at + length, limit) ? length : 0;
  }

  /** The first place from `at` on, before `end`, where messages go on; -1 where there is none. */
  find(at: number, end: number, limit: number): number {
    const { bytes } = this;
    for (let place = at; place < end; place++) {
      if (!types.has(bytes[place + 2]!)) continue;
      const length = this.length(place, limit);
      if (length === 0 || !this.isSound(place, length)) continue;
      if (bytes[place + 2] === 0x53 || this.isFollowed(place + length, limit)) return place;
    }
    return -1;
  }

  /** Bytes of what would be a message; 0 when it would go beyond the end. */
  private length(at: number, limit: number): number {
    if (at + messageHeader > limit) return 0;
    const length = messageHeader + (this.bytes[at]! | (this.bytes[at + 1]! << 8));
    return at + length > limit ? 0 : length;
  }

  /** Whether messages of known types follow, up to the end or a few of them. */
  private isFollowed(at: number, limit: number): boolean {
    let place = at;
    for (let n = 0; n < chain && place < limit; n++) {
      const length = this.length(place, limit);
      if (length === 0 || !types.has(this.bytes[place + 2]!)) return false;
      place += length;
    }
    return true;
  }

  /** Whether a message can be what its type says. */
  private isSound(at: number, length: number): boolean {
    const { bytes } = this;
    const body = at + messageHeader;
    const size = length - messageHeader;
    const id = bytes[body]! | (bytes[body + 1]! << 8);
    switch (String.fromCharCode(bytes[at + 2]!)) {
      case "S":
        return size === syncBytes.length && syncBytes.every((byte, n) => bytes[body + n] === byte);
      case "D": {
        const layout = size > 2 ? this.topics.get(id)?.layout : undefined;
        return layout !== undefined && size - 2 >= layout.minBytes && size - 2 <= layout.bytes;
      }
      case "F":
        return this.countNameBytes(body, size) > 0 && bytes[body + this.countNameBytes(body, size)] === 0x3a;
      case "A":
        return size > 3 && this.countNameBytes(body + 3, size - 3) === Math.min(size - 3, maxLookedAt);
      case "I":
      case "P":
        return this.hasKey(body, size);
      case "M":
      case "Q":
        return this.hasKey(body + 1, size - 1);
      case "R":
        return size === 2 && this.topics.has(id);
      case "O":
        return size === 2;
      case "L":
        return size >= 9 && isLevel(bytes[body]!);
      case "C":
        return size >= 11 && isLevel(bytes[body]!);
      default:
        return false;
    }
  }

  /** The letters, digits and underscores at a place. */
  private countNameBytes(at: number, size: number): number {
    const most = Math.min(size, maxLookedAt);
    let count = 0;
    while (count < most && isWord(this.bytes[at + count]!)) count += 1;
    return count;
  }

  /** Whether a key, which has its type before it, begins with its length. */
  private hasKey(at: number, size: number): boolean {
    const length = size > 0 ? this.bytes[at]! : 0;
    if (length === 0 || length >= size) return false;
    let [spaces, printable] = [0, 0];
    for (const byte of this.bytes.subarray(at + 1, at + 1 + length)) {
      if (byte === 0x20) spaces += 1;
      if (isPrintable(byte)) printable += 1;
    }
    return spaces === 1 && printable === length;
  }
}

const isLevel = (byte: number): boolean => byte >= 0x30 && byte <= 0x37;
