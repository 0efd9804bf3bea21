/** One promise: what was measured, beside its anchor, and the ratio that is asserted. */
export interface Figure {
  name: string;
  measured: number;
  anchor: number;
  unit: string;
  /** Bound of `ratio`; absent where a figure is only printed. */
  ratio: number;
  atLeast?: number;
  below?: number;
  /** Bound of `measured`, where the promise is not a ratio. */
  under?: number;
  note?: string;
}

const figures: Figure[] = [];
const round = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));

/** The middle one of these. */
export const getMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Prints a figure and records it for the verdict. */
export function report(figure: Figure): void {
  figures.push(figure);
  const bound =
    figure.atLeast !== undefined
      ? `at least ${figure.atLeast}`
      : figure.below !== undefined
        ? `below ${figure.below}`
        : figure.under !== undefined
          ? `under ${figure.under} ${figure.unit}`
          : "printed only";
  const verdict = holds(figure) ? "ok" : "MISSED";
  console.log(
    `${figure.name}: ${round(figure.measured)} ${figure.unit}, anchor ${round(figure.anchor)} ${figure.unit}, ` +
      `ratio ${figure.ratio.toFixed(2)} (${bound}: ${verdict})${figure.note ? ` — ${figure.note}` : ""}`,
  );
}

const holds = ({ ratio, measured, atLeast, below, under }: Figure): boolean =>
  (atLeast === undefined || ratio >= atLeast) &&
  (below === undefined || ratio < below) &&
  (under === undefined || measured < under);

/** How many promises were kept and how many were not. */
export const verdict = (): { kept: number; missed: number } => {
  const missed = figures.filter((figure) => !holds(figure)).length;
  return { kept: figures.length - missed, missed };
};
