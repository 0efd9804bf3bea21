"use client";

import { useQuery } from "@tanstack/react-query";
import { RelativeTime } from "@/components/kit/time";
import { useTRPC } from "@/components/trpc/client";

/** Who would notice if the key stopped working: where it was used from in the last 24 hours. */
export function KeyCallers({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.apiKeys.use.queryOptions({ uid }));
  if (!data) return <p className="h-5 text-table text-muted" aria-busy />;
  if (!data.used_in_last_day) return <p className="text-table text-muted">Not used in the last 24 hours.</p>;
  return (
    <div className="text-table text-muted">
      <p>
        Last used <RelativeTime value={data.last_used_at} />
        {data.last_used_ip && ` from ${data.last_used_ip}`}.
      </p>
      {data.callers.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {data.callers.map((caller) => (
            <li key={caller.ip ?? "unknown"}>
              {caller.ip ?? "unknown address"}: {caller.writes} {caller.writes === 1 ? "write" : "writes"}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
