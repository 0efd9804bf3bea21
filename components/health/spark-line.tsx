import { Sparkline, type SparklineProps } from "@/components/kit/sparkline";

/** `[t, min, mean, max]`, as series have them. */
type Point = readonly [at: string, min: number, mean: number, max: number];

/** The slots of a day: quarters of an hour. */
const [slots, slotMs] = [96, 900_000];

/** The mean of each quarter of an hour of the day that begins at `since`; null where nothing came. */
function toSlots(since: string, points: readonly Point[]): (number | null)[] {
  const values = Array.from({ length: slots }, (): number | null => null);
  for (const [at, , mean] of points) {
    const slot = Math.floor((Date.parse(at) - Date.parse(since)) / slotMs);
    if (slot >= 0 && slot < slots) values[slot] = mean;
  }
  return values;
}

interface SparkLineProps extends Pick<
  SparklineProps,
  "label" | "width" | "height" | "series" | "stretch" | "className"
> {
  /** Where the day begins. */
  since: string;
  points: readonly Point[];
}

/** The last day of a metric as a line, its gaps as gaps; nothing before there are two points, because a dot is no line. */
export function SparkLine({ since, points, ...rest }: SparkLineProps) {
  const values = toSlots(since, points);
  if (values.filter((value) => value !== null).length < 2) return null;
  return <Sparkline values={values} {...rest} />;
}
