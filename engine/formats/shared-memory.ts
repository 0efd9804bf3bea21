import { MESSAGE_HEAD, RECORD_HEAD } from "@/engine/formats/mcap-records";
import { rowBytes } from "@/engine/formats/message-table";
import { PieceMemory } from "@/engine/formats/read-ahead";

/** Kept for chunks to come. */
const maxSpare = 16;
/** Bytes of the smallest memory of a chunk's records, so that it fits most chunks. */
const leastRecords = 256 * 1024;

export const allocateShared = (bytes: number): Uint8Array<SharedArrayBuffer> =>
  new Uint8Array(new SharedArrayBuffer(bytes));

/** Memory for the records of a chunk, and for a table of their messages. */
export interface JobMemory {
  records: Uint8Array;
  rows: SharedArrayBuffer;
}

/**
 * Memory that two threads see, used again by one recording after another. What is let go of stays until both threads
 * have collected it, which nothing hastens: neither counts it as its own.
 */
export class SharedMemory {
  /** Of what is read from files. */
  readonly pieces = new PieceMemory(allocateShared);
  private readonly spare: JobMemory[] = [];

  /** Memory for a chunk of so many bytes. */
  take(bytes: number): JobMemory {
    const fitting = this.spare.findIndex(({ records }) => records.length >= bytes);
    return this.spare.splice(fitting, fitting < 0 ? 0 : 1)[0] ?? allocate(bytes);
  }

  giveBack({ records, rows }: JobMemory): void {
    this.spare.push({ records, rows });
    if (this.spare.length > maxSpare) this.spare.shift();
  }
}

function allocate(bytes: number): JobMemory {
  let size = leastRecords;
  while (size < bytes) size *= 2;
  // Pages that are never written take no memory.
  const rows = Math.ceil(size / (RECORD_HEAD + MESSAGE_HEAD)) + 1;
  return { records: allocateShared(size), rows: allocateShared(rows * rowBytes).buffer };
}
