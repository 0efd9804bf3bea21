import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { awaitJob, type ChunkJob, type UnpackThread } from "@/engine/formats/mcap/chunk-job";
import { SharedMemory } from "@/engine/formats/mcap/shared-memory";
import { zstdDecoder } from "@/server/platform/files/recording-codecs";
import type { ZstdDecoder } from "@/server/platform/files/zstd";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import type { TaggedFile, TagThread } from "@/server/platform/storage/tag-check";

const log = logFor("recordings");

/** Handing over takes 10 to 20 µs, in which about as many bytes are decompressed as smaller chunks have. */
const leastBytes = 64 * 1024;

export interface HelperSettings {
  zstd: ZstdDecoder;
}

/** What the thread is sent: a chunk to unpack, a file to compare with its tag, or that it need not compare it any more. */
export type Order = { id: number } & ({ job: ChunkJob } | { file: TaggedFile } | { stop: true });

/** What the thread answers for a chunk that its reader waits for, and for each file. */
export interface Answer {
  id: number;
  /** Whether a file matches, as `TagCheck.matches`. */
  matches?: boolean | null;
  error?: unknown;
}

/**
 * The thread beside the pass, for all recordings processed in this process: it unpacks chunks, and compares files with
 * their tags while there are no chunks. Null where it is not there as a program, which is among the sources. `program`:
 * the bundled `pass-helper-thread.ts`.
 */
export async function passHelper(
  program = new URL("./pass-helper-thread.mjs", import.meta.url),
): Promise<PassHelper | null> {
  if (!fs.existsSync(program)) return null;
  const zstd = await zstdDecoder();
  return processWide("passHelper", () => new PassHelper(program, { zstd }));
}

export class PassHelper implements UnpackThread, TagThread {
  readonly leastBytes = leastBytes;
  readonly memory = new SharedMemory();
  private worker: Worker | null = null;
  private hasEnded = false;
  private lastId = 0;
  private readonly ids = new WeakMap<ChunkJob, number>();
  private readonly awaited = new Map<number, (answer: Answer | null) => void>();

  constructor(
    private readonly program: URL,
    private readonly settings: HelperSettings,
  ) {}

  begin(job: ChunkJob): void {
    if (this.hasEnded) return;
    const id = ++this.lastId;
    this.ids.set(job, id);
    this.send({ id, job });
  }

  async settle(job: ChunkJob): Promise<void> {
    if (!this.hasEnded && awaitJob(job)) await this.waitFor(this.ids.get(job)!);
  }

  async compare(file: TaggedFile, signal?: AbortSignal): Promise<boolean | null | "ended"> {
    signal?.throwIfAborted();
    if (this.hasEnded) return "ended";
    const id = ++this.lastId;
    const stop = () => this.send({ id, stop: true });
    signal?.addEventListener("abort", stop);
    try {
      this.send({ id, file });
      // Also when it is to stop: until then the thread may read the file, which must not be closed.
      const answer = await this.waitFor(id);
      signal?.throwIfAborted();
      if (answer === null) return "ended";
      if (answer.error !== undefined) throw answer.error;
      return answer.matches ?? null;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }

  private send(order: Order): void {
    this.worker ??= this.start();
    this.worker.postMessage(order);
  }

  /** Resolves to null when the thread has ended. */
  private async waitFor(id: number): Promise<Answer | null> {
    // The thread alone does not keep the process.
    const keeping = setInterval(() => {}, 60_000);
    try {
      return await new Promise((resolve) => this.awaited.set(id, resolve));
    } finally {
      clearInterval(keeping);
      this.awaited.delete(id);
    }
  }

  private start(): Worker {
    const worker = new Worker(this.program, { workerData: this.settings, execArgv: [] });
    worker.on("message", (answer: Answer) => this.awaited.get(answer.id)?.(answer));
    worker.on("error", (error) => log.warn({ err: error }, "the thread beside the pass failed"));
    // What it has not begun, and what it leaves behind, is done by those who asked for it.
    worker.on("exit", () => {
      this.hasEnded = true;
      for (const resolve of this.awaited.values()) resolve(null);
    });
    // After the listeners, which would have the thread keep the process.
    worker.unref();
    return worker;
  }
}
