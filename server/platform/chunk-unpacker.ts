import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { awaitJob, type ChunkJob, type UnpackThread } from "@/engine/formats/chunk-job";
import { SharedMemory } from "@/engine/formats/shared-memory";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { zstdDecoder } from "@/server/platform/recording-codecs";
import type { ZstdDecoder } from "@/server/platform/zstd";

const log = logFor("recordings");

/** Handing over takes 10 to 20 µs, in which about as many bytes are decompressed as smaller chunks have. */
const leastBytes = 64 * 1024;

export interface UnpackerSettings {
  zstd: ZstdDecoder;
}

/** What the thread is sent. It answers with the id when the reader waits for the chunk. */
export interface HandedOver {
  id: number;
  job: ChunkJob;
}

/**
 * The thread that unpacks chunks for all recordings processed in this process; null where it is not there as a program,
 * which is among the sources. `program`: the bundled `chunk-unpacker-thread.ts`.
 */
export async function chunkUnpacker(
  program = new URL("./chunk-unpacker-thread.mjs", import.meta.url),
): Promise<UnpackThread | null> {
  if (!fs.existsSync(program)) return null;
  const zstd = await zstdDecoder();
  return processWide("chunkUnpacker", () => new ChunkUnpacker(program, { zstd }));
}

export class ChunkUnpacker implements UnpackThread {
  readonly leastBytes = leastBytes;
  readonly memory = new SharedMemory();
  private worker: Worker | null = null;
  private hasEnded = false;
  private lastId = 0;
  private readonly ids = new WeakMap<ChunkJob, number>();
  private readonly awaited = new Map<number, () => void>();

  constructor(
    private readonly program: URL,
    private readonly settings: UnpackerSettings,
  ) {}

  begin(job: ChunkJob): void {
    if (this.hasEnded) return;
    this.worker ??= this.start();
    const id = ++this.lastId;
    this.ids.set(job, id);
    this.worker.postMessage({ id, job } satisfies HandedOver);
  }

  async settle(job: ChunkJob): Promise<void> {
    if (this.hasEnded || !awaitJob(job)) return;
    const id = this.ids.get(job)!;
    // The thread alone does not keep the process.
    const keeping = setInterval(() => {}, 60_000);
    await new Promise<void>((resolve) => this.awaited.set(id, resolve));
    clearInterval(keeping);
    this.awaited.delete(id);
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.program, { workerData: this.settings, execArgv: [] });
    worker.on("message", (id: number) => this.awaited.get(id)?.());
    worker.on("error", (error) => log.warn({ err: error }, "the thread that unpacks chunks failed"));
    // What it has not begun, and what it leaves behind, is unpacked by the readers.
    worker.on("exit", () => {
      this.hasEnded = true;
      for (const resolve of this.awaited.values()) resolve();
    });
    // After the listeners, which would have the thread keep the process.
    worker.unref();
    return worker;
  }
}
