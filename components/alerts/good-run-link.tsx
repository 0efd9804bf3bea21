"use client";

import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "@/components/kit/button";
import { compareHref } from "@/components/product/recording-links";
import { useTRPC } from "@/components/trpc/client";
import { exactIsoFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import type { AlertDetail } from "./query";

interface GoodRunLinkProps {
  alert: AlertDetail;
  recording: string;
  /** The field that its rule compared. */
  plots: readonly string[];
}

/** Leads to its recording beside the last one of the device in which its rule found nothing. */
export function GoodRunLink({ alert, recording, plots }: GoodRunLinkProps) {
  const trpc = useTRPC();
  const run = useQuery(trpc.recordings.lastGoodRun.queryOptions({ uid: alert.uid }));
  const at = parseDateTimeNs(alert.triggered_at);
  const reason = run.isPending
    ? "Looking for an earlier recording without alerts of this rule."
    : run.error
      ? "The earlier recordings could not be searched."
      : "This device has no earlier recording without alerts of this rule.";
  const moment = { plots, ...(at !== null && { t: exactIsoFromNs(at) }) };
  return (
    <>
      <ButtonLink
        size="sm"
        href={run.data ? compareHref(recording, run.data.uid, moment) : "/recordings"}
        disabledReason={run.data ? undefined : reason}
      >
        Compare with the last good run
      </ButtonLink>
      {!run.data && !run.isPending && <span className="self-center text-meta text-muted">{reason}</span>}
    </>
  );
}
