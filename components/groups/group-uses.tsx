"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

const line = "flex min-h-9 flex-wrap items-center gap-x-3 border-t border-border py-1.5 text-table first:border-t-0";
const link = "min-w-0 truncate rounded-control text-accent-text hover:underline";

/** The rules that watch a group's devices, and the silences that mute some of them. */
export function GroupUses({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.groups.uses.queryOptions({ uid }));
  if (query.error && !query.data)
    return <ErrorState error={query.error} title="Its uses could not be loaded" onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonText lines={4} />;
  const { rules, silences } = query.data;
  return (
    <div className="flex flex-col gap-6">
      <section>
        <h3 className="mb-1 text-table font-semibold">Rules that name it</h3>
        {rules.length === 0 ? (
          <p className="text-table text-muted">None. A rule&rsquo;s scope can name groups, devices and tags.</p>
        ) : (
          <ul>
            {rules.map((rule) => (
              <li key={rule.uid} className={line}>
                <Link href={`/rules/${rule.uid}`} className={link}>
                  {rule.name}
                </Link>
                {!rule.enabled && <span className="text-meta text-subtle">off</span>}
                {rule.through !== null && <span className="text-meta text-muted">through {rule.through}</span>}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h3 className="mb-1 text-table font-semibold">Silences of its devices</h3>
        {silences.length === 0 ? (
          <p className="text-table text-muted">None now or planned that name a device of it.</p>
        ) : (
          <ul>
            {silences.map((silence) => (
              <li key={silence.uid} className={line}>
                <Link href="/settings/silences?state=active,scheduled" className={link}>
                  {silence.reason}
                </Link>
                <span className="text-meta text-muted">
                  {plural(silence.devices, "device")}, {silence.active ? "ends" : "planned, ends"}{" "}
                  <RelativeTime value={silence.ends_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
