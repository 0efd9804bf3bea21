import type { Outputs } from "@/components/trpc/client";

export type Stats = NonNullable<Outputs["projects"]["stats"]>;

/** How a project stood at the end of a day. */
export interface BurnUpDay {
  day: string;
  accepted: number;
  submitted: number;
  todo: number;
}

const dayMs = 86_400_000;
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** A longer time is drawn in steps of several days. */
const maxSteps = 120;

/** Every day, or every few, from the one before the first result to the last: tasks accepted, submitted, and to do. */
export function toBurnUp(days: Stats["days"], total: number, today: string): BurnUpDay[] {
  const [first] = days;
  if (!first) return [];
  const start = Date.parse(first.day) - dayMs;
  const end = Math.max(Date.parse(today), Date.parse(days.at(-1)?.day ?? first.day));
  const step = Math.ceil((end - start) / dayMs / maxSteps) * dayMs;
  const found: BurnUpDay[] = [];
  let at = 0;
  let [submitted, accepted] = [0, 0];
  for (let ms = start; ; ms = Math.min(end, ms + step)) {
    const day = toDay(ms);
    for (let next = days[at]; next && next.day <= day; next = days[++at]) {
      submitted += next.submitted;
      accepted += next.accepted;
    }
    found.push({ day, accepted, submitted: Math.max(0, submitted - accepted), todo: Math.max(0, total - submitted) });
    if (ms >= end) return found;
  }
}

/** Milliseconds of work left at the median pace; null before any task was timed. */
export const workLeft = ({ p50 }: Stats["pace"], left: number): number | null =>
  p50 === null ? null : p50 * left * 1_000;
