import type { ComparedTopic, Pair } from "@/server/read-models/recordings/compared-topic";

/** Parts of a field's range: what moved less is noise. */
const minMove = 0.01;

/** The middle and the upper end of a field's values. */
interface Spread {
  p50: number;
  p99: number;
}

/** A field whose values lie elsewhere. */
export interface MovedField extends Pair<Spread> {
  topic: string;
  field: string;
  unit: string | null;
  /** How far the median or the 99th percentile moved, whichever did more, as a part of the range of both recordings. */
  moved: number;
}

type Field = ComparedTopic["fields"][number];
type Statistics = Spread & { min: number; max: number };

const readNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

function readStatistics({ min, max, p50, p99 }: Field): Statistics | null {
  const [least, most, middle, high] = [readNumber(min), readNumber(max), readNumber(p50), readNumber(p99)];
  if (least === null || most === null || middle === null || high === null) return null;
  return { min: least, max: most, p50: middle, p99: high };
}

/** The number fields that both recordings have, and those that moved, the farthest first. */
export function compareFields(common: readonly Pair<ComparedTopic>[]): { compared: number; moved: MovedField[] } {
  let compared = 0;
  const moved: MovedField[] = [];
  for (const { a: topic, b: other } of common) {
    const fields = new Map(other.fields.map((field) => [field.path, field]));
    for (const field of topic.fields) {
      const same = fields.get(field.path);
      if (field.kind !== "number" || same?.kind !== "number") continue;
      const [a, b] = [readStatistics(field), readStatistics(same)];
      if (a === null || b === null) continue;
      compared++;
      const range = Math.max(a.max, b.max) - Math.min(a.min, b.min);
      const move = Math.max(Math.abs(a.p50 - b.p50), Math.abs(a.p99 - b.p99));
      if (range === 0 || move / range < minMove) continue;
      moved.push({
        topic: topic.name,
        field: field.path,
        unit: typeof field.unit === "string" ? field.unit : null,
        a: { p50: a.p50, p99: a.p99 },
        b: { p50: b.p50, p99: b.p99 },
        moved: move / range,
      });
    }
  }
  return { compared, moved: moved.sort((one, next) => next.moved - one.moved) };
}
