"use client";

import { Download, RotateCw, CircleStop } from "lucide-react";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Progress } from "@/components/kit/progress";
import { Tooltip } from "@/components/kit/tooltip";
import { Truncate } from "@/components/kit/truncate";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { describePlace, getLook, getShare, isUnderWay } from "./labels";
import type { Export } from "./query";
import type { ExportActions } from "./use-export-actions";

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

/** The state and what matters about it: its place in the queue, how far it is, or why it failed. */
export function ExportState({ of, bar = true, className }: { of: Export; bar?: boolean; className?: string }) {
  const { tone, shape, label } = getLook(of);
  const share = of.status === "exporting" ? getShare(of) : null;
  const note = of.status === "failed" ? of.error_message : null;
  return (
    <span className={cn("flex min-w-0 items-center gap-2", className)} title={of.status}>
      <Status tone={tone} shape={shape} className="shrink-0">
        {label}
        {of.status === "requested" && <span className="text-muted">, {describePlace(of.waiting_before)}</span>}
        {share !== null && <span className="tabular-nums"> {percent(share)}</span>}
      </Status>
      {of.status === "exporting" && bar && (
        <Progress
          share={share}
          label={`${of.exported_task_count ?? 0} of ${of.total_task_count ?? "an unknown number of"} items`}
          className="max-w-20 min-w-6 flex-1 max-sm:hidden"
        />
      )}
      {note && <Truncate text={note} className="text-muted max-sm:hidden" />}
    </span>
  );
}

/** How many of its items are written. */
export function ExportCounts({ of }: { of: Export }) {
  const { exported_task_count: done, total_task_count: total } = of;
  if (total === null || done === null) return null;
  return (
    <span className="tabular-nums">
      {formatNumber(done)} <span className="text-subtle">of {plural(total, "item")}</span>
    </span>
  );
}

/** The one thing to do with an export in its state: download it, stop it, try it again. */
export function ExportAction({ of, actions }: { of: Export; actions: Pick<ExportActions, "abort" | "retry"> }) {
  const reason = usePermissions().refusal({ author: of.created_by_uid });
  const styles = "-my-1 ml-auto h-6 w-6 shrink-0";
  if (of.download_url !== null) {
    return (
      <Tooltip content="Download">
        <a
          href={of.download_url}
          aria-label={`Download ${of.name}`}
          onClick={(event) => event.stopPropagation()}
          className={cn(
            styles,
            "inline-flex items-center justify-center rounded-panel text-muted hover:bg-hover hover:text-foreground [&_svg]:size-4",
          )}
        >
          <Download aria-hidden />
        </a>
      </Tooltip>
    );
  }
  if (of.status === "exported") return null;
  const [label, icon, run] = isUnderWay(of)
    ? ([`Stop ${of.name}`, <CircleStop key="stop" aria-hidden />, actions.abort] as const)
    : ([`Retry ${of.name}`, <RotateCw key="retry" aria-hidden />, actions.retry] as const);
  return (
    <IconButton
      label={label}
      size="sm"
      className={styles}
      icon={icon}
      disabledReason={reason}
      onClick={(event) => {
        event.stopPropagation();
        void run(of);
      }}
    />
  );
}
