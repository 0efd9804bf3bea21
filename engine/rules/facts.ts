import { parsePath, PathError, plainPath } from "@/domain/conditions/path";
import type { FieldInfo } from "@/engine/decode/fields";
import type { RecordingSummary } from "@/engine/formats/recording";
import type { EnumNames } from "@/engine/rules/truth";

export interface TopicFacts {
  topic: string;
  messageCount: number;
  /** Zero periods left out; null with fewer than three messages. */
  medianPeriodNs: bigint | null;
  /** Why messages of this topic cannot be decoded. */
  undecodable?: string;
  /** Names that the schema gives to numbers, by field path without indices. */
  enums?: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

export interface RecordingFacts {
  /** First and last instant over all topics, in nanoseconds. */
  startTime: bigint;
  endTime: bigint;
  /** The file is cut off. */
  truncated: boolean;
  topics: readonly TopicFacts[];
}

type Enums = NonNullable<TopicFacts["enums"]>;

/** The names that fields give to numbers, by path without indices; undefined where none does. */
export function listEnums(fields: readonly Pick<FieldInfo, "path" | "enumValues">[]): Enums | undefined {
  const entries = fields.flatMap(({ path, enumValues }) => {
    if (enumValues === undefined) return [];
    try {
      return [[plainPath(parsePath(path, "")), enumValues] as const];
    } catch (error) {
      if (error instanceof PathError) return []; // nested deeper than conditions can address
      throw error;
    }
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The facts that a rule's evaluation needs before a recording's first message. */
export function factsFromSummary(
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

/** Numbers by the names that the schema gives them in a field; undefined where it names none. */
export function enumNames(
  topic: TopicFacts,
  { field, topic: own }: { field: string; topic: string },
): EnumNames | undefined {
  const values = topic.enums?.[plainPath(parsePath(field, own))];
  return values && new Map(Object.entries(values).map(([number, name]) => [name, Number(number)]));
}
