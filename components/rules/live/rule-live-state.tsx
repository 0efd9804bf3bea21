"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

const refreshMs = 10_000;

/** How a rule about heartbeats stands now: what it watches, what meets it, and how far it was evaluated. */
export function RuleLiveState({ uid, enabled }: { uid: string; enabled: boolean }) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.rules.liveState.queryOptions({ uid }), refetchInterval: refreshMs });
  const { data, error } = query;
  if (!data && error) {
    return <ErrorState error={error} title="Its state could not be loaded" onRetry={() => void query.refetch()} />;
  }
  if (!data) return <SkeletonText lines={3} />;
  const more = data.devices_met - data.met.length;
  return (
    <KeyValue
      items={[
        ["Watches", enabled ? plural(data.devices_watched, "device") : "Nothing: it is off"],
        [
          "Met now",
          data.devices_met === 0 ? (
            "On no device"
          ) : (
            <span key="met">
              {data.met.map(({ uid: device, name }, at) => (
                <span key={device}>
                  {at > 0 && ", "}
                  <Link href={`/devices/${device}`} className="rounded-control text-accent-text underline">
                    {name}
                  </Link>
                </span>
              ))}
              {more > 0 && ` and ${formatNumber(more)} more`}
            </span>
          ),
        ],
        ["Last evaluated", <RelativeTime key="at" value={data.evaluated_at} never="Not yet" />],
      ]}
    />
  );
}
