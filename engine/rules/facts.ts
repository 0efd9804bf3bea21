import { parsePath, PathError, plainPath, type PathStep } from "@/domain/conditions/path";
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
  /** Names that the schema gives to numbers, by field path without indices; `*` in it stands for any key of a map. */
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
  const { enums } = topic;
  if (enums === undefined) return undefined;
  const steps = parsePath(field, own);
  const values = enums[plainPath(steps)] ?? Object.entries(enums).find(([pattern]) => fits(steps, pattern))?.[1];
  return values && new Map(Object.entries(values).map(([number, name]) => [name, Number(number)]));
}

/** Whether a path leads to what a pattern with `*` for the keys of maps names. */
function fits(steps: readonly PathStep[], pattern: string): boolean {
  if (!pattern.includes("*")) return false;
  const keys = steps.flatMap((step) => (step.kind === "key" ? [step.key] : []));
  const wanted = pattern.split(".");
  return keys.length === wanted.length && wanted.every((key, at) => key === "*" || key === keys[at]);
}
