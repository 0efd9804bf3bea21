import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { cutRange } from "@/server/features/cuts/service";
import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import type { JobRun } from "@/server/platform/jobs/handler";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace, spaceGuard } from "@/server/platform/storage/disk-space";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** Stores a range of a recording as an MCAP file under a key. Returns its bytes. Throws as cuts do. */
export async function putClip(
  ctx: Ctx,
  recordingId: string,
  range: { from: bigint; to: bigint },
  { storageKey, momentId }: { storageKey: string; momentId: string },
  run: JobRun,
): Promise<bigint> {
  // A store wants the size before the bytes.
  const folder = path.join(env.DATA_DIR, "tmp", `moment-${momentId}`);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireSpace(folder, 0);
    const file = path.join(folder, `clip-${run.attempt.attempt}.mcap`);
    const checkSpace = spaceGuard(file);
    const parts = await cutRange(ctx, recordingId, range);
    async function* checked(): AsyncGenerator<Uint8Array> {
      for await (const part of parts) {
        run.signal.throwIfAborted();
        await checkSpace();
        yield part;
      }
    }
    await pipeline(checked, createWriteStream(file));
    const { size } = await stat(file);
    await objectStore().put(storageKey, toWebStream(createReadStream(file)), size);
    return BigInt(size);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
