"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { causeAdvice, causeText, faultCauses } from "@/domain/webhooks/failure-cause";
import { Countdown } from "./countdown";
import type { FailureGroup, Webhook } from "./query";
import { ReplayDialog, type ReplaySelection } from "./replay-dialog";

const maxShown = 4;

const isFault = (cause: string): boolean => faultCauses.some((each) => each === cause);

/** What fails and was not sent again, one line for each cause, with what to do about it. */
export function FailureGroups({
  webhook,
  reason,
  onFilter,
}: {
  webhook: Webhook;
  reason: string | undefined;
  onFilter: (cause: string) => void;
}) {
  const trpc = useTRPC();
  const [replaying, setReplaying] = useState<ReplaySelection | null>(null);
  const query = useQuery({
    ...trpc.deliveries.groups.queryOptions({ uid: webhook.uid }),
    placeholderData: keepPreviousData,
  });
  const groups = query.data?.groups ?? [];
  const all = groups.reduce((sum, { count }) => sum + count, 0);
  const host = URL.canParse(webhook.target_url) ? new URL(webhook.target_url).host : "the receiver";
  const off = webhook.is_active ? reason : "The webhook is turned off. Turn it on first.";
  return (
    <>
      {groups.length > 0 && (
        <section
          aria-label="What fails"
          className="mx-4 mb-3 rounded-panel border px-3 py-2 max-sm:max-h-44 max-sm:overflow-y-auto sm:mx-6"
        >
          <ul className="flex flex-col divide-y">
            {groups.slice(0, maxShown).map((group) => (
              <li
                key={group.cause}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-table first:pt-0 last:pb-0"
              >
                <div className="min-w-0 flex-1 sm:basis-72">
                  <p>
                    <Status tone="error" strong>
                      {causeText(group.cause)}
                    </Status>{" "}
                    <span className="text-muted max-sm:hidden">
                      {isFault(group.cause) ? "at" : "from"} {host}
                    </span>{" "}
                    <span className="font-medium tabular-nums">×{formatNumber(group.count)}</span>{" "}
                    <span className="text-muted">
                      since <InstantTime value={group.first_at} precision="minute" />
                    </span>
                  </p>
                  <p className="text-meta text-muted max-sm:hidden">
                    {describe(group)} {causeAdvice(group.cause)}
                  </p>
                </div>
                <Button size="sm" variant="ghost" onClick={() => onFilter(group.cause)}>
                  Show
                </Button>
                <Button
                  size="sm"
                  icon={<RotateCw aria-hidden />}
                  disabledReason={off}
                  onClick={() => setReplaying({ cause: group.cause })}
                >
                  Replay {formatNumber(group.count)}
                </Button>
              </li>
            ))}
          </ul>
          {groups.length > 1 && (
            <p className="mt-1 flex flex-wrap items-center justify-between gap-2 border-t pt-1.5 text-meta text-subtle">
              <span>
                {groups.length > maxShown && `${plural(groups.length - maxShown, "more cause")}. `}
                {plural(all, "delivery fails", "deliveries fail")} in all{query.data?.more && ", and older ones"}
              </span>
              <Button size="sm" variant="ghost" disabledReason={off} onClick={() => setReplaying({})}>
                Replay all failed since …
              </Button>
            </p>
          )}
        </section>
      )}
      {replaying && <ReplayDialog webhook={webhook} selection={replaying} onClose={() => setReplaying(null)} />}
    </>
  );
}

function describe({ count, retrying, event_types: types, next_at: next }: FailureGroup) {
  const events = types.length > 2 ? `${types.slice(0, 2).join(", ")} and ${types.length - 2} more` : types.join(", ");
  if (retrying === 0) return <>{events}, no retries left.</>;
  return (
    <>
      {events}, {retrying === count ? "retried" : `${formatNumber(retrying)} of them retried`}
      {next && (
        <>
          , next in <Countdown to={next} />
        </>
      )}
      .
    </>
  );
}
