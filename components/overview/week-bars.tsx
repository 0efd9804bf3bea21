import { plural } from "@/components/kit/format";

const [barWidth, gap, height] = [3, 1, 16];

/** The alerts of a robot's last seven days, a bar for each half a day; `scale` is the count of a full bar. */
export function WeekBars({ week, scale }: { week: readonly number[]; scale: number }) {
  const total = week.reduce((sum, count) => sum + count, 0);
  const label = `${total === 0 ? "No alerts" : plural(total, "alert")} in the last 7 days`;
  const width = week.length * (barWidth + gap) - gap;
  return (
    <svg role="img" aria-label={label} width={width} height={height} className="shrink-0">
      <title>{label}</title>
      {week.map((count, at) => {
        // A day without alerts keeps a base, so that the place of the others can be read.
        const tall = count === 0 ? 1 : Math.max(3, (count / scale) * height);
        const place = { x: at * (barWidth + gap), y: height - tall, width: barWidth, height: tall };
        return <rect key={at} {...place} className={count === 0 ? "fill-border-strong" : "fill-muted"} />;
      })}
    </svg>
  );
}
