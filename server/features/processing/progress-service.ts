import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { announceSoon } from "@/server/platform/realtime/changes";

const log = logFor("processing");

/** Milliseconds between two writes, and before the first: short processing needs none. */
const everyMs = 600;

/** Stores the progress of processing a recording, without ever delaying the processing. */
export class Progress {
  private writtenAt = performance.now();
  private writing: Promise<void> | null = null;

  constructor(
    private readonly ctx: Ctx,
    private readonly uid: string,
  ) {}

  /** `done`: 0..1 of the stage. */
  report(stage: string, done: number): void {
    const now = performance.now();
    if (this.writing || now - this.writtenAt < everyMs) return;
    this.writtenAt = now;
    const progress = Math.round(done * 1000) / 1000;
    this.writing = execute(
      { db: prisma },
      Prisma.sql`update recordings set stage = ${stage}, progress = ${progress}::float8
        where uid = ${this.uid} and processed_at is null and status = 'processing'`,
    )
      .then(() => announceSoon(this.ctx, "recording", this.uid, "updated"))
      .catch((error: unknown) => log.warn({ err: error, recording: this.uid }, "could not show progress"))
      .finally(() => (this.writing = null));
  }

  /** Resolves once the pending write is done. */
  async flush(): Promise<void> {
    await this.writing;
  }
}
