"use client";

import { formatNumber } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import { EventTypeMark } from "@/components/product/event-type";
import type { EventType } from "@/domain/events/event-type";
import { msFromNs } from "@/domain/time/nanoseconds";
import type { Bar } from "./histogram-grid";

/** The histogram's numbers as a table: only buckets that hold something, newest first. */
export function HistogramTable({ bars, types }: { bars: readonly Bar[]; types: readonly EventType[] }) {
  return (
    <div className="max-h-40 overflow-auto" tabIndex={0} role="region" aria-label="Events over time as a table">
      <table className="text-table tabular-nums">
        <thead className="text-meta text-subtle">
          <tr>
            <th className="pr-6 text-left font-normal">From</th>
            {types.map((type) => (
              <th key={type} className="pr-6 text-right font-normal">
                <EventTypeMark type={type} />
              </th>
            ))}
            <th className="text-right font-normal">All</th>
          </tr>
        </thead>
        <tbody>
          {[...bars]
            .reverse()
            .filter(({ total }) => total > 0)
            .map((bar) => (
              <tr key={String(bar.fromNs)}>
                <td className="pr-6">
                  <InstantTime value={msFromNs(bar.fromNs)} />
                </td>
                {types.map((type) => (
                  <td key={type} className="pr-6 text-right">
                    {formatNumber(bar.counts[type] ?? 0)}
                  </td>
                ))}
                <td className="text-right">{formatNumber(bar.total)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
