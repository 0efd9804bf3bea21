"use client";

import { useQuery } from "@tanstack/react-query";
import { formatNumber, plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { Sparkline } from "@/components/kit/sparkline";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Changes = Outputs["slices"]["changes"];

const number = (value: number): string => formatNumber(value, 0);
/** How many items came and left by day, and what other filters did. */
export function SliceChanges({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.slices.changes.queryOptions({ uid }));
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        title="The changes could not be loaded"
        onRetry={() => void query.refetch()}
        className="py-4"
      />
    );
  if (!query.data) return <SkeletonText lines={3} />;
  const { days, filters } = query.data;
  const moved = days.filter(({ came_count: came, left_count: left }) => came > 0 || left > 0).toReversed();
  const counts = days.map(({ item_count: count }) => count);
  return (
    <div className="flex flex-col gap-4 text-table">
      {counts.length > 1 && (
        <Sparkline
          values={counts}
          width={240}
          height={40}
          label={`Items on the days on which they were counted, from ${number(counts[0] ?? 0)} to ${number(counts.at(-1) ?? 0)}`}
        />
      )}
      {moved.length === 0 ? (
        <p className="text-muted">No item came or left since it was first counted.</p>
      ) : (
        <table aria-label="Items that came and left" className="w-full max-w-96 text-table">
          <thead className="text-meta text-subtle">
            <tr>
              <th scope="col" className="py-1 text-left font-normal">
                Day
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Came
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Left
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Items
              </th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {moved.map(({ day, came_count: came, left_count: left, item_count: count }) => (
              <tr key={day} className="border-t border-border">
                <td className="py-1">{day}</td>
                <td className="py-1 text-right">{came === 0 ? "" : `+${number(came)}`}</td>
                <td className="py-1 text-right">{left === 0 ? "" : `−${number(left)}`}</td>
                <td className="py-1 text-right">{number(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {filters.length > 0 && (
        <ul aria-label="Changes of the filter" className="flex flex-col gap-3">
          {filters.map((each) => (
            <li key={each.uid} className="flex min-w-0 flex-col gap-0.5 border-t border-border pt-2">
              <span>
                {each.changed_by} changed the filter <RelativeTime value={each.created_at} />: <Effect of={each} />
              </span>
              <code className="min-w-0 font-mono text-meta break-words text-muted">{each.before || "every item"}</code>
              <code className="min-w-0 font-mono text-meta break-words">→ {each.after || "every item"}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Effect({ of: { came_count: came, left_count: left } }: { of: Changes["filters"][number] }) {
  if (came === null || left === null) return <span className="text-subtle">counting…</span>;
  if (came === 0 && left === 0) return <span>no item came or left.</span>;
  return (
    <span className="tabular-nums">
      {plural(came, "item")} came, {number(left)} left.
    </span>
  );
}
