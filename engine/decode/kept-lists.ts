import { MAX_LENGTH } from "@/engine/decode/schemas/field-info";

/** A list of which no element is a field, and how many it has, in the first message where its type does not say it. */
export interface LongList {
  path: string;
  elements: number;
}

/** Lists of one topic that are named. */
export const MAX_LONG_LISTS = 50;

/**
 * Which lists of unknown length of one channel's messages are fields: those that have at most 256 elements in the first
 * message that can be read. Whatever reads the messages of a channel shares it, so that all agree.
 */
export class KeptLists {
  /** Whether the first message was read. */
  decided = false;
  /** 1 for a list of which no element is a field. */
  readonly refused: Uint8Array;
  /** How many elements such a list had in the first message. */
  readonly first: Float64Array;
  /** How long each list was in the message read last, and how many of its elements have ever been read. */
  readonly lengths: Float64Array;
  readonly longest: Float64Array;

  constructor(lists: number) {
    this.refused = new Uint8Array(lists);
    this.first = new Float64Array(lists);
    this.lengths = new Float64Array(lists);
    this.longest = new Float64Array(lists);
  }

  /** Of a part of a recording: every list that has fields is read, however long it is. */
  keepAll(): void {
    this.decided = true;
  }

  /** How many elements of a list may be read of a message in which it has `length`. */
  take(list: number, length: number): number {
    this.lengths[list] = length;
    const isRefused = this.decided ? this.refused[list] === 1 : length > MAX_LENGTH;
    return isRefused ? 0 : length;
  }

  /** The same for the message read last. */
  last(list: number): number {
    return this.refused[list] === 1 ? 0 : this.lengths[list]!;
  }

  /** Once a message was read. */
  decide(): void {
    const { lengths, longest, refused } = this;
    for (let list = 0; list < lengths.length; list++) {
      if (!this.decided && lengths[list]! > MAX_LENGTH) {
        refused[list] = 1;
        this.first[list] = lengths[list]!;
      }
      longest[list] = Math.max(longest[list]!, this.last(list));
    }
    this.decided = true;
  }
}
