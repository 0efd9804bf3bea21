import type { Codecs } from "@/engine/formats/codecs/codecs";
import { decompress, type Compression } from "@/engine/formats/codecs/compression";
import { scanMessages, type LeftOut } from "@/engine/formats/mcap/mcap-messages";
import { toShared, type JobMemory, type SharedMemory } from "@/engine/formats/mcap/shared-memory";
import { MessageTable } from "@/engine/formats/message-table";

/** What `ChunkJob.state` begins with. */
const waiting = 0;
const claimed = 1;
/** Claimed by the thread, which the reader waits for. */
const awaited = 2;
const done = 3;

/** What follows in `ChunkJob.state`, of a chunk that is done. */
const complete = 1;
const sound = 2;
const count = 3;
const unknown = 4;
const impossible = 5;
const broken = 6;
const stateLength = 7;

/** A stored chunk of an MCAP file, and which messages of it are wanted. */
export interface ChunkTask {
  packed: Uint8Array;
  compression: Compression;
  /** Bytes of its records, uncompressed. */
  size: number;
  /** Of its records; 0 for none. */
  crc: number;
  /** The file's slots by its ids of channels, as `scanMessages` takes them. */
  slots: Int32Array;
  /** Log times of wanted messages, nanoseconds, both included; null for all. */
  start: bigint | null;
  end: bigint | null;
}

/** A chunk that its reader or another thread unpacks, whoever claims it first, in memory that both see. */
export interface ChunkJob extends ChunkTask, JobMemory {
  /** Of this job alone: the thread may come to it when its memory is another's already. */
  state: Int32Array;
}

/** Another thread that unpacks chunks. */
export interface UnpackThread {
  /** What it sees, of all recordings. */
  readonly memory: SharedMemory;
  /** Uncompressed bytes of a chunk that is unpacked in less time than it takes to hand it over. */
  readonly leastBytes: number;
  /** Hands a chunk over, which the thread unpacks after those before it, unless its reader claims it first. */
  begin(job: ChunkJob): void;
  /** Resolves when a chunk that the thread has claimed is done, or never will be, because the thread has ended. */
  settle(job: ChunkJob): Promise<void>;
}

/** The thread knows channels by their slots alone. */
const noNames = { channels: [], ranks: [] };

/** A job that can be claimed. */
export function createJob(task: ChunkTask, memory: JobMemory): ChunkJob {
  const packed = toShared(task.packed, memory);
  const state = new Int32Array(new SharedArrayBuffer(stateLength * Int32Array.BYTES_PER_ELEMENT));
  return { ...task, ...memory, packed, state };
}

/** Whether the caller is the one to unpack a chunk. */
export const claimJob = ({ state }: ChunkJob): boolean =>
  Atomics.compareExchange(state, 0, waiting, claimed) === waiting;

export const isDone = ({ state }: ChunkJob): boolean => Atomics.load(state, 0) === done;

/** Has `unpackJob` return that the reader waits; false when there is nothing to wait for. */
export const awaitJob = ({ state }: ChunkJob): boolean =>
  Atomics.compareExchange(state, 0, claimed, awaited) === claimed;

/** Unpacks a chunk that the caller has claimed. Returns whether the reader waits for it. */
export function unpackJob(job: ChunkJob, codecs: Codecs): boolean {
  const { packed, compression, size, crc, records, rows, state } = job;
  const result = decompress(codecs, compression, packed, size, records);
  state[complete] = result.complete ? 1 : 0;
  if (result.complete) {
    const { data } = result;
    state[sound] = crc === 0 || codecs.crc32(data) === crc ? 1 : 0;
    if (compression !== "none" && data.buffer !== records.buffer) records.set(data);
    const table = new MessageTable(noNames, data, rows);
    const leftOut = scanMessages(table, job.slots, { slots: null, start: job.start, end: job.end });
    state[count] = table.count;
    state[unknown] = leftOut.unknown;
    state[impossible] = leftOut.impossible;
    state[broken] = leftOut.broken;
  }
  return Atomics.exchange(state, 0, done) === awaited;
}

export interface UnpackedChunk {
  records: Uint8Array;
  /** Rows of the messages. */
  rows: SharedArrayBuffer;
  count: number;
  /** Whether its checksum is right, if it has one. */
  sound: boolean;
  leftOut: LeftOut;
}

/** What came of a chunk that is done; null for one that could not be decompressed completely. */
export function readJob({ packed, compression, size, records, rows, state }: ChunkJob): UnpackedChunk | null {
  if (state[complete] !== 1) return null;
  return {
    records: compression === "none" ? packed : records.subarray(0, size),
    rows,
    count: state[count]!,
    sound: state[sound] === 1,
    leftOut: { unknown: state[unknown]!, impossible: state[impossible]!, broken: state[broken]! },
  };
}
