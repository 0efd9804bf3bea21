import { useTimeZone } from "@/components/kit/preferences-provider";
import { severitiesWorstFirst } from "@/domain/severity";
import { bucketLabel } from "./bucket-label";
import type { Activity } from "./query";

/** The chart's figures as a table. */
export function ActivityTable({ activity }: { activity: Activity }) {
  const { zone } = useTimeZone();
  return (
    <div
      className="max-h-72 overflow-auto border-y"
      tabIndex={0}
      role="region"
      aria-label="Alerts over time as a table"
    >
      <table className="w-full text-table tabular-nums">
        <thead className="sticky top-0 bg-surface text-meta text-subtle">
          <tr>
            <th className="py-1.5 text-left font-normal">From</th>
            {severitiesWorstFirst.map((severity) => (
              <th key={severity} className="py-1.5 text-right font-normal capitalize">
                {severity}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {activity.buckets.map((bucket) => (
            <tr key={bucket.at} className="border-t">
              <th scope="row" className="py-1 text-left font-normal">
                {bucketLabel(bucket.at, activity.bucket_ms, zone)}
              </th>
              {severitiesWorstFirst.map((severity) => (
                <td key={severity} className="py-1 text-right">
                  {bucket[severity]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
