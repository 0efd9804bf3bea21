import { MAX_LENGTH } from "@/engine/decode/field-info";

/**
 * Which lists of unknown length of one channel's messages are fields: those that have at most 256 elements in the first
 * message that can be read. Whatever reads the messages of a channel shares it, so that all agree.
 */
export class KeptLists {
  /** Whether the first message was read. */
  decided = false;
  /** 1 for a list of which no element is a field. */
  readonly refused: Uint8Array;
  /** How long each list was in the message read last, and how many of its elements have ever been read. */
  readonly lengths: Float64Array;
  readonly longest: Float64Array;

  constructor(lists: number) {
    this.refused = new Uint8Array(lists);
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
      if (!this.decided && lengths[list]! > MAX_LENGTH) refused[list] = 1;
      longest[list] = Math.max(longest[list]!, this.last(list));
    }
    this.decided = true;
  }
}
