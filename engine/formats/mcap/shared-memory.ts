import { MESSAGE_HEAD, RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";
import { rowBytes } from "@/engine/formats/message-table";
import { PieceMemory } from "@/engine/formats/read-ahead";

/** Kept for chunks to come. */
const maxSpare = 16;
/** Bytes of the smallest memory, so that it fits most chunks. */
const leastBytes = 256 * 1024;

const allocateShared = (bytes: number): Uint8Array<SharedArrayBuffer> => new Uint8Array(new SharedArrayBuffer(bytes));

/** Memory for the records of a chunk, and for a table of their messages. */
export interface JobMemory {
  records: Uint8Array;
  rows: SharedArrayBuffer;
  /** For a chunk as it is stored, where that was read into other memory; empty until then. */
  copy: Uint8Array;
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

  giveBack({ records, rows, copy }: JobMemory): void {
    this.spare.push({ records, rows, copy });
    if (this.spare.length > maxSpare) this.spare.shift();
  }
}

/** Bytes as another thread can see them: copied, unless it can already. */
export function toShared(bytes: Uint8Array, memory: JobMemory): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  if (memory.copy.length < bytes.length) memory.copy = allocateShared(roundUp(bytes.length));
  memory.copy.set(bytes);
  return memory.copy.subarray(0, bytes.length);
}

function allocate(bytes: number): JobMemory {
  const size = roundUp(bytes);
  // Pages that are never written take no memory.
  const rows = Math.ceil(size / (RECORD_HEAD + MESSAGE_HEAD)) + 1;
  return { records: allocateShared(size), rows: allocateShared(rows * rowBytes).buffer, copy: allocateShared(0) };
}

function roundUp(bytes: number): number {
  let size = leastBytes;
  while (size < bytes) size *= 2;
  return size;
}
