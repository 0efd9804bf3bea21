import type { RecordingTopic } from "@/components/recording/session/query";
import { isMultiArraySchema, readArrayLabels } from "@/engine/messages/pictures/multi-array";
import { formatLeaf } from "./message-tree";

/** A value as text, and what its schema says of it: a unit, the name of a constant, or its place in a layout. */
interface NotedValue {
  text: string;
  note: string | null;
}
export type NoteValue = (path: string, value: unknown) => NotedValue;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Numbers that JSON has no form for. */
const unwritable = new Set(["NaN", "Infinity", "-Infinity"]);

/** What a topic's schema says of the values of a message. */
export function createNoteValue(
  topic: Pick<RecordingTopic, "schema" | "fields"> | undefined,
  message: unknown,
): NoteValue {
  const fields = new Map(topic?.fields.map((field) => [field.path, field]));
  const label = topic && isMultiArraySchema(topic.schema) ? readArrayLabels(message) : null;
  const describe = (path: string, value: unknown): string | null => {
    const field = fields.get(path);
    if (isRecord(field?.values)) {
      const name = field.values[String(value)];
      if (typeof name === "string") return name;
    }
    const position = label && /^data\[(\d+)\]$/.exec(path)?.[1];
    return (position && label?.(Number(position))) || (typeof field?.unit === "string" ? field.unit : null);
  };
  return (path, value) => ({
    text:
      typeof value === "string" && unwritable.has(value) && fields.get(path)?.kind !== "string"
        ? value.replace("-", "−")
        : formatLeaf(value),
    note: describe(path, value),
  });
}
