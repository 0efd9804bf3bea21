"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, DatabaseZap } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { lazyPart } from "@/components/kit/lazy-part";
import { Popover } from "@/components/kit/popover";
import { useShortcuts } from "@/components/kit/shortcuts";
import { SkeletonText } from "@/components/kit/skeleton";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { readRate } from "./last-rate";
import { MomentProgress } from "./moment-progress";
import { toRateInput, type MomentSource, type MomentTarget } from "./source";
import { useAddMoment, type AddInput } from "./use-add-moment";

const RangePanel = lazyPart(async () => (await import("./range-panel")).default);
const ManyPanel = lazyPart(async () => (await import("./many-panel")).default);

/** What pressing the face adds: the cameras at the rate chosen last, or the first frame of each moment. */
export function toDefault(source: MomentSource): AddInput {
  if (source.kind === "many") {
    const whole = "recordings" in source.of;
    return { kind: "many", input: { ...source.of, ...toRateInput(whole ? "1" : "first") } };
  }
  const { recordingId, from, to, alertId, eventId, ruleId } = source;
  const range = { recording_id: recordingId, from: String(from), to: String(to) };
  return {
    kind: "range",
    input: { ...range, ...toRateInput(readRate()), alert_id: alertId, event_id: eventId, rule_id: ruleId },
  };
}

/**
 * One button in two parts: its face repeats the last choice, its arrow and the key `d` open a panel. `getSource` is asked
 * when it is pressed, so that it may depend on what moves.
 */
export function AddToDataset(props: {
  getSource: () => MomentSource;
  size?: "sm" | "md";
  /** Shows the key, and listens to it. */
  keyed?: boolean;
  /** In a row of a list there is only an icon with this name, which opens the panel. */
  rowLabel?: string;
  onAdded?: () => void;
}) {
  const { getSource, rowLabel, size = "md", keyed = rowLabel === undefined, onAdded } = props;
  const trpc = useTRPC();
  const reason = usePermissions().refusal();
  const [source, setSource] = useState<MomentSource | null>(null);
  const { busy, added, add } = useAddMoment();
  const last = useQuery({ ...trpc.moments.targets.queryOptions({ search: "" }), staleTime: 60_000 }).data?.find(
    ({ used }) => used,
  );
  const open = () => setSource(getSource());
  const shortcut = { keys: "d", label: "Add to dataset", group: "Training data", run: open };
  useShortcuts(keyed ? [refuseShortcut(shortcut, reason)] : []);
  const send = async (target: MomentTarget, what: AddInput) => {
    if ((await add(target, what)) === undefined) return;
    setSource(null);
    onAdded?.();
  };
  const face = last ? `Add to ${last.name}` : "Add to dataset";
  const press = () => (last ? void send(last, toDefault(getSource())) : open());
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <span className="inline-flex min-w-0">
        {rowLabel === undefined && (
          <Button
            size={size}
            className="min-w-0 shrink rounded-r-none"
            icon={<DatabaseZap aria-hidden />}
            busy={busy}
            disabledReason={reason}
            onClick={press}
          >
            {/* As wide with any name, and before the last choice is known: what is beside it must not move then. */}
            <span className={cn("truncate text-left", size === "sm" ? "w-30" : "w-40")} title={face}>
              {face}
            </span>
            {keyed && (
              <span className="max-sm:hidden">
                <KeyHint keys="d" decorative />
              </span>
            )}
          </Button>
        )}
        <Popover
          open={source !== null}
          onOpenChange={(next) => (next ? open() : setSource(null))}
          title="Add to dataset"
          showTitle
          className="max-h-[min(40rem,var(--available-height))] w-[26.25rem] overflow-y-auto"
          trigger={
            rowLabel === undefined ? (
              <IconButton
                label="Choose what to add"
                size={size}
                variant="secondary"
                className="-ml-px rounded-l-none"
                icon={<ChevronDown aria-hidden />}
                disabledReason={reason}
              />
            ) : (
              <IconButton
                label={rowLabel}
                size="sm"
                icon={<DatabaseZap aria-hidden />}
                busy={busy}
                disabledReason={reason}
              />
            )
          }
        >
          <Suspense fallback={<SkeletonText lines={8} />}>
            {source?.kind === "range" && <RangePanel source={source} busy={busy} onAdd={send} />}
            {source?.kind === "many" && <ManyPanel source={source} busy={busy} onAdd={send} />}
          </Suspense>
        </Popover>
      </span>
      {added !== null && <MomentProgress uid={added} />}
    </span>
  );
}
