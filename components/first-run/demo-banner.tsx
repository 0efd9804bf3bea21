"use client";

import { useState } from "react";
import { useDemoChoice } from "@/components/demo-fleet/demo-choice";
import { Badge } from "@/components/kit/badge";
import { Button, ButtonLink } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { usePermissions } from "@/components/product/permissions";
import type { Outputs } from "@/components/trpc/client";
import { useDemo } from "./use-demo";

type DemoStatus = Outputs["demo"]["status"];

/** The demo fleet's size, the progress of its creation, and the button that removes all of it. */
export function DemoBanner({ status }: { status: DemoStatus | undefined }) {
  const { remove } = useDemo();
  const { choice } = useDemoChoice();
  const reason = usePermissions().refusal({ role: "admin" });
  const [confirming, setConfirming] = useState(false);
  if (!status || status.state === "none") return null;
  const making = status.state === "making";
  const done = (status.devices > 0 ? 1 : 0) + status.uploaded + status.processed;
  const of = 1 + 2 * status.planned_recordings;
  return (
    <section aria-label="Demo fleet" className="-mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 border-y py-1.5">
      <Badge>Demo</Badge>
      <p role="status" className="min-w-0 flex-1 basis-64 text-table text-muted">
        {making ? (
          <>
            {status.devices === 0
              ? "Registering the demo fleet's devices…"
              : `The demo fleet is being created: ${plural(status.devices, "device")}, ${status.processed} of ${status.planned_recordings} recordings, ${plural(status.alerts, "alert")} so far.`}
          </>
        ) : status.state === "failed" ? (
          "The demo fleet could not be completed. Remove it, then start again."
        ) : (
          <>
            {`${plural(status.devices, "device")}, ${plural(status.processed, "recording")} and ${plural(status.alerts, "alert")} of the demo fleet. `}
            {choice === "yours"
              ? "“Yours” is chosen, so no count and no list includes them."
              : status.hidden
                ? "Counts and lists include them until “Yours” is chosen."
                : "They stand in for your own data until a device of yours reports."}
          </>
        )}
      </p>
      {making && <Progress share={done / of} label="Creating the demo fleet" className="w-40" />}
      {making && status.alert_id && (
        <ButtonLink size="sm" variant="primary" href={`/alerts/${status.alert_id}`}>
          See the first alert
        </ButtonLink>
      )}
      <Button size="sm" busy={remove.isPending} disabledReason={reason} onClick={() => setConfirming(true)}>
        Remove demo
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Remove the demo fleet?"
        description="Its devices, recordings, rules and alerts are deleted, with its channel, webhook, agent, dataset and exports, and any changes you made to them. Your own data is not affected."
        action="Remove demo"
        onConfirm={() => remove.mutateAsync()}
      />
    </section>
  );
}
