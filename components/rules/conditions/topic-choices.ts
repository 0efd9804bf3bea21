import { formatNumber } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import type { PathChoice } from "./path-input";

/** A topic that devices in scope have recorded, with its fields. */
export type TopicChoice = Outputs["topics"]["list"][number];
type FieldChoice = TopicChoice["fields"][number];

export const topicChoices = (topics: readonly TopicChoice[] | undefined): PathChoice[] =>
  (topics ?? []).map((topic) => ({
    value: topic.name,
    hint: `${topic.schema.split("/").at(-1)} · ${formatNumber(topic.frequency_hz, 1)} Hz · ${topic.device_count} of ${topic.devices_total}`,
  }));

function fieldHint({ kind, unit, min, max, p50, p99, last }: FieldChoice): string {
  const number = (value: number | null | undefined) =>
    value === null || value === undefined ? "" : formatNumber(value);
  const parts = [kind === "number" ? "" : kind, unit ?? ""];
  if (last !== undefined && last !== null) parts.push(`last ${number(last)}`);
  if (p50 !== undefined && p50 !== null) parts.push(`p50 ${number(p50)}, p99 ${number(p99)}`);
  else if (min !== undefined && min !== null) parts.push(`${number(min)} to ${number(max)}`);
  return parts.filter(Boolean).join(" · ");
}

/** Topics that a name or glob means. */
export function matchingTopics(topics: readonly TopicChoice[] | undefined, name: string): TopicChoice[] {
  if (!name.includes("*")) return (topics ?? []).filter((topic) => topic.name === name);
  const pattern = new RegExp(
    `^${name
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
  );
  return (topics ?? []).filter((topic) => pattern.test(topic.name));
}

/** How likely a condition is about a field: a kind it can compare first, stamps and sequence numbers of headers last. */
function fieldRank({ path, kind }: Pick<FieldChoice, "path" | "kind">, wanted: readonly string[]): number {
  if (kind === "time" || /(^|\.)header\./.test(path)) return wanted.length + 1;
  const rank = wanted.indexOf(kind);
  return rank === -1 ? wanted.length : rank;
}

/** The fields of a topic; those of the kinds that the condition compares come first. */
export const fieldChoices = (
  topics: readonly TopicChoice[] | undefined,
  topic: string,
  wanted: readonly string[],
): PathChoice[] =>
  (matchingTopics(topics, topic)[0]?.fields ?? [])
    .toSorted((a, b) => fieldRank(a, wanted) - fieldRank(b, wanted))
    .map((field) => ({ value: field.path, hint: fieldHint(field) }));

/** A description of one field of a topic. */
export const seenField = (
  topics: readonly TopicChoice[] | undefined,
  topic: string,
  field: string,
): FieldChoice | undefined => matchingTopics(topics, topic)[0]?.fields.find(({ path }) => path === field);
