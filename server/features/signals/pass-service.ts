import path from "node:path";
import { SignalsWriter, type SignalFileInfo } from "@/engine/signals/signals-writer";
import { Spool } from "@/server/features/signals/spool";
import { listSignalPlaces, storeSignals, type StoredSignals } from "@/server/features/signals/store-service";
import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { signalCompression } from "@/server/platform/files/signal-compression";
import type { JobRun } from "@/server/platform/jobs/handler";

const notWritten = "signals could not be written while processing";

/**
 * The signals that are written while a recording is processed. Whatever prevents them, a full disk or a store that is
 * away, leaves the recording to be processed without them: then a job of their own writes them.
 */
export class ProcessedSignals {
  private failure: unknown = null;

  private constructor(
    private readonly spool: Spool,
    private readonly prefix: string,
    private readonly run: JobRun,
  ) {}

  /** Null for a recording that was not uploaded, and where the disk takes nothing. */
  static async create(ctx: Ctx, recordingId: string, run: JobRun): Promise<ProcessedSignals | null> {
    const session = await ctx.db.uploadSession.findUnique({ where: { recordingId }, select: { prefix: true } });
    if (!session) return null;
    try {
      const spool = await Spool.create(path.join(env.DATA_DIR, "signals", run.attempt.jobId));
      return new ProcessedSignals(spool, session.prefix, run);
    } catch (error) {
      run.log.warn({ err: error }, notWritten);
      return null;
    }
  }

  /** A writer whose files take the place of those written before. */
  begin(): SignalsWriter {
    this.spool.clear();
    this.failure = null;
    return new SignalsWriter({
      compression: signalCompression(),
      open: (topic) => {
        const sink = this.guarded(() => this.spool.sink(topic));
        return (bytes) => void this.guarded(() => sink?.(bytes));
      },
    });
  }

  /** Stores the files; null when there are none, or they could not be stored. */
  async store(files: readonly SignalFileInfo[] | null): Promise<StoredSignals | null> {
    if (files === null) return null;
    try {
      if (this.failure !== null) throw this.failure;
      return await storeSignals(listSignalPlaces(this.prefix), files, this.spool, this.run.signal);
    } catch (error) {
      this.run.signal.throwIfAborted();
      this.run.log.warn({ err: error }, notWritten);
      return null;
    }
  }

  remove(): Promise<void> {
    return this.spool.remove();
  }

  /** Does what writes to the disk unless it failed before. */
  private guarded<T>(write: () => T): T | null {
    if (this.failure !== null) return null;
    try {
      return write();
    } catch (error) {
      this.failure = error;
      return null;
    }
  }
}
