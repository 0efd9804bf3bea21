"use client";

import { CircleAlert, CopyPlus, Download, RotateCw, CircleStop } from "lucide-react";
import { Button, buttonStyles } from "@/components/kit/button";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { RelativeTime } from "@/components/kit/time";
import { usePermissions } from "@/components/product/permissions";
import { concurrentExports, exportLifetimeDays } from "@/domain/exports/schema";
import { ExportCounts } from "./export-status";
import { describePlace, getShare, getTimeLeft, isExpired } from "./labels";
import type { Export } from "./query";
import type { ExportActions } from "./use-export-actions";

interface OutcomeProps {
  of: Export;
  actions: Pick<ExportActions, "abort" | "retry" | "repeat">;
}

/** Where an export is, and the one thing to do about it. */
export function ExportOutcome({ of, actions }: OutcomeProps) {
  const { refusal } = usePermissions();
  const [own, make] = [refusal({ author: of.created_by_uid }), refusal()];
  if (of.status === "requested" || of.status === "exporting") {
    return (
      <div className="flex flex-col items-start gap-3 rounded-panel border px-3 py-3">
        {of.status === "requested" ? <Waiting of={of} /> : <Running of={of} />}
        <Button icon={<CircleStop aria-hidden />} disabledReason={own} onClick={() => void actions.abort(of)}>
          Stop
        </Button>
      </div>
    );
  }
  const repeat = (
    <Button icon={<CopyPlus aria-hidden />} disabledReason={make} onClick={() => void actions.repeat([of])}>
      Repeat
    </Button>
  );
  if (of.status === "exported" && !isExpired(of)) {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <a href={of.download_url ?? undefined} className={buttonStyles({ variant: "primary" })}>
          <Download aria-hidden />
          Download
        </a>
        {repeat}
      </div>
    );
  }
  if (of.status === "exported") {
    return (
      <div className="flex flex-col items-start gap-3 rounded-panel border px-3 py-3 text-table">
        <p>
          Its file was kept for {exportLifetimeDays} days and is deleted
          {of.expires_at !== null && (
            <>
              {" "}
              (<RelativeTime value={of.expires_at} />)
            </>
          )}
          . Repeat makes it again from what its sources hold now.
        </p>
        {repeat}
      </div>
    );
  }
  return (
    <div className="flex flex-col items-start gap-3 rounded-panel border px-3 py-3 text-table">
      {of.status === "failed" ? (
        <p role="alert" className="flex items-start gap-2 text-critical-text">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {of.error_message ?? "It failed for an unknown reason."}
        </p>
      ) : (
        <p>It was stopped before it was finished; there is no file.</p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button icon={<RotateCw aria-hidden />} disabledReason={own} onClick={() => void actions.retry(of)}>
          Retry
        </Button>
        {repeat}
      </div>
    </div>
  );
}

function Waiting({ of }: { of: Export }) {
  const before = of.waiting_before ?? 0;
  return (
    <p className="text-table">
      Waiting, <span className="font-medium">{describePlace(before)}</span>. At most {concurrentExports} exports run at
      the same time, the oldest first.
    </p>
  );
}

function Running({ of }: { of: Export }) {
  const share = getShare(of);
  const left = getTimeLeft(of);
  return (
    <div className="flex w-full flex-col gap-2 text-table">
      <Progress share={share} label="Exported items" showLabel />
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted tabular-nums">
        {of.total_task_count === null ? "Counting the items" : <ExportCounts of={of} />}
        {of.items_per_second !== null && (
          <span>
            {of.items_per_second < 10
              ? formatNumber(of.items_per_second, 1)
              : plural(Math.round(of.items_per_second), "item")}
            {of.items_per_second < 10 ? " items a second" : " a second"}
          </span>
        )}
        {left !== null && left >= 1_000 && <span>about {formatDuration(left)} left</span>}
      </p>
    </div>
  );
}
