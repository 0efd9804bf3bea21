import { parsePath, PathError, plainPath } from "@/domain/conditions/path";
import type { FieldInfo } from "@/engine/decode/fields";
import type { RecordingSummary } from "@/engine/formats/recording";
import type { RecordingFacts, TopicFacts } from "@/engine/rules/evaluate";

type Enums = NonNullable<TopicFacts["enums"]>;

/** The names that fields give to numbers, by path without indices; undefined where none does. */
export function enumsOf(fields: readonly Pick<FieldInfo, "path" | "enumValues">[]): Enums | undefined {
  const entries = fields.flatMap(({ path, enumValues }) => {
    if (enumValues === undefined) return [];
    try {
      return [[plainPath(parsePath(path, "")), enumValues] as const];
    } catch (error) {
      if (error instanceof PathError) return []; // nested deeper than any condition can reach
      throw error;
    }
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** What a rule's evaluation has to know of a recording before its first message. */
export function factsOfSummary(
  summary: RecordingSummary,
  known: (topic: string) => { undecodable: string | null; enums: Enums | undefined },
): RecordingFacts {
  return {
    startTime: summary.startTime,
    endTime: summary.endTime,
    truncated: summary.truncated,
    topics: summary.topics.map(({ topic, messageCount, medianPeriodNs }) => {
      const { undecodable, enums } = known(topic);
      return {
        topic,
        messageCount,
        medianPeriodNs,
        ...(undecodable !== null && { undecodable }),
        ...(enums !== undefined && { enums }),
      };
    }),
  };
}
