import type { Ctx } from "@/server/platform/context";
import { distinctValues } from "@/server/platform/distinct-values";

/** The tags and topics in use on recordings: what filters offer. */
export async function recordingVocabulary(ctx: Ctx): Promise<{ tags: string[]; topics: string[] }> {
  const [tags, topics] = await Promise.all([distinctValues(ctx, "recordingTag"), distinctValues(ctx, "topic")]);
  return { tags, topics };
}
