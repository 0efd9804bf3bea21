import { formatNumber } from "@/components/kit/format";

const height = 96;
/** The largest width in px of a day, its gap included; the labels below need some room of their own. */
const dayWidth = 25;
const minWidth = 260;

/** Hits by day as bars, with the same figures as a table for screen readers. */
export function DayBars({ days }: { days: readonly { date: string; hits: number }[] }) {
  const max = Math.max(1, ...days.map(({ hits }) => hits));
  return (
    <figure className="max-w-220" style={{ width: `min(100%, ${Math.max(minWidth, days.length * dayWidth)}px)` }}>
      <div aria-hidden className="flex items-end justify-between gap-px border-b" style={{ height }}>
        {days.map(({ date, hits }) => (
          <span
            key={date}
            title={`${date}: ${formatNumber(hits)}`}
            className="flex h-full max-w-6 min-w-0 flex-1 items-end"
          >
            <span
              className="w-full bg-accent"
              style={{ height: hits === 0 ? 0 : Math.max(2, (hits / max) * height) }}
            />
          </span>
        ))}
      </div>
      <div aria-hidden className="mt-1 flex justify-between text-meta text-subtle tabular-nums">
        <span>{days[0]?.date}</span>
        <span>max {formatNumber(max)}</span>
        <span>{days.at(-1)?.date}</span>
      </div>
      <table className="sr-only">
        <caption>Hits by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Hits</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ hits }) => hits > 0)
            .map(({ date, hits }) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                <td>{hits}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
