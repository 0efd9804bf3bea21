"use client";

import { useQuery } from "@tanstack/react-query";
import { formatDuration } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { Status, type Tone } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Call = Outputs["mcp"]["calls"][number];

const outcomes: Readonly<Record<Call["outcome"], { tone: Tone; label: string }>> = {
  ok: { tone: "online", label: "Done" },
  refused: { tone: "warning", label: "Refused" },
  failed: { tone: "error", label: "Failed" },
};

const head = "py-1 pr-3 text-left font-normal";
const cell = "border-t border-border py-1.5 pr-3 align-baseline";

/** The last calls of tools: who, which, how long, and how it ended. */
export function McpCalls() {
  const trpc = useTRPC();
  const { role } = usePermissions();
  const query = useQuery(trpc.mcp.calls.queryOptions());
  return (
    <Section
      title="Last calls"
      description={
        role === "member" ? "Of your keys; admins see those of everybody." : "Of everybody in this organization."
      }
    >
      {query.error && !query.data ? (
        <ErrorState error={query.error} title="The calls could not be loaded" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <SkeletonText lines={4} />
      ) : query.data.length === 0 ? (
        <p className="text-table text-muted">No tool was called yet.</p>
      ) : (
        <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Last calls">
          <table className="w-full min-w-140 text-table">
            <thead className="text-meta text-subtle">
              <tr>
                <th scope="col" className={head}>
                  When
                </th>
                <th scope="col" className={head}>
                  Who
                </th>
                <th scope="col" className={head}>
                  Tool
                </th>
                <th scope="col" className="py-1 pr-6 text-right font-normal">
                  Took
                </th>
                <th scope="col" className={head}>
                  Outcome
                </th>
              </tr>
            </thead>
            <tbody>
              {query.data.map((call) => (
                <tr key={call.uid}>
                  <td className={cell}>
                    <RelativeTime value={call.created_at} />
                  </td>
                  <td className={cell}>{call.actor_name}</td>
                  <td className={`${cell} font-mono`}>{call.tool}</td>
                  <td className={`${cell} pr-6 text-right tabular-nums`}>{formatDuration(call.ms)}</td>
                  <td className={cell}>
                    <Status tone={outcomes[call.outcome].tone}>{outcomes[call.outcome].label}</Status>
                    {call.detail && <span className="ml-2 text-meta text-muted">{call.detail}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
