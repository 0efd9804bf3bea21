"use client";

import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { RelativeTime } from "@/components/kit/time";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import type { InboxTab } from "@/domain/alerts/lifecycle";
import type { Counts } from "./query";

/** Why a tab without filters is empty: no alerts now, or none ever. */
export function InboxEmpty({ tab, counts, onTest }: { tab: InboxTab; counts: Counts | undefined; onTest: () => void }) {
  const trpc = useTRPC();
  const last = useQuery({ ...trpc.alerts.lastResolved.queryOptions(), enabled: tab === "open" }).data;
  const reason = usePermissions().refusal();
  const test = (
    <Button variant="primary" icon={<FlaskConical aria-hidden />} disabledReason={reason} onClick={onTest}>
      Test an alert
    </Button>
  );
  const never =
    counts !== undefined &&
    counts.open + counts.acknowledged + counts.resolved + counts.silenced + counts.snoozed === 0;
  if (tab === "silenced") {
    return (
      <EmptyState
        kind="nothing-yet"
        title="Nothing is silenced"
        description="Alerts that a silence mutes or that were snoozed are listed here. They are recorded as usual, but no notifications are sent."
        action={<ButtonLink href="/settings/silences">Go to silences</ButtonLink>}
      />
    );
  }
  if (tab === "acknowledged") {
    return (
      <EmptyState
        kind="nothing-yet"
        title="No acknowledged alerts"
        description="Acknowledging an alert shows that it is being looked at. It stays here until it is resolved."
      />
    );
  }
  if (tab === "resolved") {
    return (
      <EmptyState
        kind="nothing-yet"
        title="No resolved alerts"
        description="Resolved alerts stay here with their note and reason, for when the same rule triggers again."
      />
    );
  }
  if (never) {
    return (
      <EmptyState
        kind="nothing-yet"
        title="No alerts yet"
        description="An alert opens when a rule finds something in a recording, or when a device stops sending heartbeats. Send a test to see one arrive, in this list and on your channels."
        action={
          <span className="flex flex-wrap gap-2">
            {test}
            <ButtonLink href="/rules">Go to rules</ButtonLink>
          </span>
        }
      />
    );
  }
  return (
    <EmptyState
      kind="nothing-yet"
      title="No open alerts"
      description={
        last?.at ? (
          <>
            Last one resolved <RelativeTime value={last.at} />.
          </>
        ) : (
          "No open alert needs attention."
        )
      }
      action={test}
    />
  );
}
