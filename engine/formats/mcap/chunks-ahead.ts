import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import {
  claimJob,
  createJob,
  isDone,
  readJob,
  unpackJob,
  type ChunkJob,
  type ChunkTask,
  type UnpackedChunk,
  type UnpackThread,
} from "@/engine/formats/mcap/chunk-job";
import type { JobMemory } from "@/engine/formats/mcap/shared-memory";
import { nextTurn } from "@/engine/time-slicer";

/** Chunks handed over before their turn comes. */
export const chunksHandedOver = 6;
/** Uncompressed bytes of the largest of them. */
const maxBytes = 4 * 1024 * 1024;

/** What was read of a chunk, and the job that it became, if another thread may unpack it. */
interface Begun {
  stored: Uint8Array;
  job: ChunkJob | null;
}

/**
 * Has another thread unpack the chunks of a recording before their turn comes. It is never waited for while there is
 * something to do: chunks that it has not begun are unpacked here, so that a thread that is late, or has ended, costs
 * nothing.
 */
export class ChunksAhead {
  private readonly begun = new Map<ChunkRef, Promise<Begun>>();
  /** Handed over, the next one first. */
  private jobs: ChunkJob[] = [];
  /** The chunk taken last. */
  private current: JobMemory | null = null;

  constructor(
    private readonly thread: UnpackThread,
    private readonly codecs: Codecs,
  ) {}

  isWorthIt(uncompressedBytes: number): boolean {
    return uncompressedBytes >= this.thread.leastBytes && uncompressedBytes <= maxBytes;
  }

  /** Hands a chunk over once its bytes are there. `toTask`: null for one that has to be read by itself. */
  begin(chunk: ChunkRef, stored: Promise<Uint8Array>, toTask: (stored: Uint8Array) => ChunkTask | null): void {
    const begun: Promise<Begun> = stored.then((bytes) => {
      const task = this.begun.get(chunk) === begun ? toTask(bytes) : null;
      return { stored: bytes, job: task && this.handOver(task) };
    });
    // Whoever takes it sees the failure.
    begun.catch(() => {});
    this.begun.set(chunk, begun);
  }

  private handOver(task: ChunkTask): ChunkJob {
    const job = createJob(task, this.thread.memory.take(task.size));
    this.jobs.push(job);
    this.thread.begin(job);
    return job;
  }

  /**
   * What was begun of a chunk, its records and messages valid until the next one is taken; null for a chunk that was not
   * handed over. `unpacked`: null for one that has to be read by itself.
   */
  async take(chunk: ChunkRef): Promise<{ stored: Uint8Array; unpacked: UnpackedChunk | null } | null> {
    this.release();
    const begun = this.begun.get(chunk);
    if (begun === undefined) return null;
    // What was read meanwhile is handed over first.
    await nextTurn();
    const { stored, job } = await begun;
    this.begun.delete(chunk);
    if (job === null) return { stored, unpacked: null };
    this.jobs = this.jobs.filter((each) => each !== job);
    await this.unpack(job);
    this.current = job;
    return { stored, unpacked: readJob(job) };
  }

  private async unpack(job: ChunkJob): Promise<void> {
    if (claimJob(job)) unpackJob(job, this.codecs);
    while (!isDone(job)) {
      // The thread is at it: what comes after it is unpacked meanwhile.
      const next = this.jobs.find(claimJob);
      if (next !== undefined) {
        unpackJob(next, this.codecs);
        continue;
      }
      await this.thread.settle(job);
      // The thread has ended.
      if (!isDone(job)) unpackJob(job, this.codecs);
    }
  }

  private release(): void {
    if (this.current !== null) this.thread.memory.giveBack(this.current);
    this.current = null;
  }

  /** Forgets what was begun: no more chunks are going to be taken. */
  end(): void {
    this.release();
    // Memory of what the thread is at is left to it.
    for (const job of this.jobs) if (claimJob(job) || isDone(job)) this.thread.memory.giveBack(job);
    this.jobs = [];
    this.begun.clear();
  }
}
