import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { ReadBudget } from "@/server/features/captures/read-budget";
import { withChunks } from "@/server/features/moments/frame-service";
import { getKind } from "@/server/features/moments/item-file";
import { requireTopic } from "@/server/features/recordings/message-service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";

/** What may be read for the frames around one: those of a topic may lie far apart. */
const maxBytes = 64 * 1024 * 1024;
const budgetMs = 10_000;

interface Around {
  topic: string;
  /** Nanoseconds. */
  at: bigint;
  /** So many on each side, at most. */
  count: number;
}

/** When frames were logged, in nanoseconds, from the earliest on. */
export interface FramesBeside {
  before: bigint[];
  after: bigint[];
}

/**
 * The frames of a camera around a moment, without one of the moment itself; fewer where more would have to be read. Throws
 * `not_found`, `invalid` for what is no camera and for what cannot be read, and `unavailable`.
 */
export async function listFramesBeside(
  ctx: Ctx,
  recordingId: string,
  { topic: name, at, count }: Around,
): Promise<FramesBeside> {
  const { schemaName, firstNs, lastNs } = await requireTopic(ctx, recordingId, name);
  if (getKind(schemaName) !== "image") throw invalid("topic", "This topic has no pictures.");
  const found: FramesBeside = { before: [], after: [] };
  // Messages outside of the topic's range are outliers.
  if (firstNs === null || lastNs === null) return found;
  const budget = new ReadBudget(maxBytes, budgetMs, AbortSignal.timeout(2 * budgetMs));
  const read = async (chunks: ChunkReader) => {
    const next = { start: at + 1n > firstNs ? at + 1n : firstNs, end: lastNs };
    const last = at - 1n < lastNs ? at - 1n : lastNs;
    // Frame by frame, so that what was found stays where no more may be read.
    for (let until = last; found.before.length < count && until >= firstNs;) {
      const message = await chunks.findLatest(name, until);
      if (message === null || message.logTime < firstNs) break;
      found.before.unshift(message.logTime);
      until = message.logTime - 1n;
    }
    const following = await chunks.listBetween(name, next, count);
    found.after = [...new Set(following.map(({ logTime }) => logTime))];
  };
  await withChunks(
    ctx,
    recordingId,
    (chunks) => budget.leaving({ bytes: 0, ms: 0 }, () => read(chunks)),
    (file) => budget.limit(file),
  );
  return found;
}
