import { cn } from "./cn";

export interface SparklineProps {
  /** Values at equal steps; null is a gap and is drawn as one. */
  values: readonly (number | null)[];
  /** What it shows, for screen readers: "Battery over the last 24 h, from 82 % to 64 %". */
  label: string;
  /** What the top of the line stands for, 0 being its bottom: lines of a column are compared by one. Default: its own range. */
  max?: number;
  width?: number;
  height?: number;
  /** 1 to 8; the accent unless given. */
  series?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  /** Fills the width and height that `className` gives it. */
  stretch?: boolean;
  className?: string;
}

/** A line the height of a row, without axes. A flat series runs through the middle. */
export function Sparkline({
  values,
  label,
  max,
  width = 96,
  height = 20,
  series,
  stretch = false,
  className,
}: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const low = max === undefined ? Math.min(...known) : 0;
  const high = max ?? Math.max(...known);
  const inset = 1.5;
  const x = (at: number) => (values.length < 2 ? width / 2 : inset + (at / (values.length - 1)) * (width - 2 * inset));
  const y = (value: number) =>
    high === low ? height / 2 : height - inset - ((value - low) / (high - low)) * (height - 2 * inset);
  let path = "";
  let pen = false;
  values.forEach((value, at) => {
    if (value === null) pen = false;
    else {
      path += `${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      // A lone point between two gaps still leaves a dot.
      if (!pen && (values[at + 1] ?? null) === null) path += "h0.01";
      pen = true;
    }
  });
  return (
    <svg
      role="img"
      aria-label={label}
      width={stretch ? undefined : width}
      height={stretch ? undefined : height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={stretch ? "none" : undefined}
      className={cn("overflow-visible", className)}
    >
      <path
        d={path}
        fill="none"
        stroke={series ? `var(--series-${series})` : "var(--accent)"}
        strokeWidth={1.5}
        vectorEffect={stretch ? "non-scaling-stroke" : undefined}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
