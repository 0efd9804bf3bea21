import type { Ctx } from "@/server/platform/context";
import { distinctValues } from "@/server/platform/distinct-values";

/** The distinct tags and topics of recordings, for filters. */
export async function recordingVocabulary(ctx: Ctx): Promise<{ tags: string[]; topics: string[] }> {
  const [tags, topics] = await Promise.all([distinctValues(ctx, "recordingTag"), distinctValues(ctx, "topic")]);
  return { tags, topics };
}
