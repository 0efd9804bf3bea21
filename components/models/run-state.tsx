import { runLooks } from "@/components/datasets/labels";
import { formatNumber } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { Status } from "@/components/product/status";
import type { Run } from "./query";

export const isUnderWay = ({ status }: Pick<Run, "status">): boolean => status === "pending" || status === "running";

/** Whether some of its items can be tried again. */
export const canRetry = ({ status, failed_count: failed }: Pick<Run, "status" | "failed_count">): boolean =>
  status === "failed" || (status === "completed" && failed > 0);

export function RunState({ of }: { of: Pick<Run, "status"> }) {
  const { tone, shape, label } = runLooks[of.status];
  return (
    <Status tone={tone} shape={shape} className="shrink-0">
      {label}
    </Status>
  );
}

/** How many of its items are done, as a bar while it is under way. */
export function RunProgress({ of }: { of: Run }) {
  const { done_count: done, failed_count: failed, total_count: total } = of;
  const share = total === null || total === 0 ? null : (done + failed) / total;
  return (
    <span className="flex min-w-0 items-center gap-2">
      {isUnderWay(of) && (
        <Progress label={`Progress of ${of.model_name}`} share={share} className="max-w-20 min-w-6 flex-1" />
      )}
      <span className="truncate text-muted tabular-nums">
        {formatNumber(done, 0)}
        {total !== null && ` of ${formatNumber(total, 0)}`}
      </span>
    </span>
  );
}

/** What a run was over, in words. */
export function describeOver({ dataset_name: name, chosen_count: chosen }: Run): string {
  const dataset = name ?? "A deleted dataset";
  return chosen === null ? dataset : `${formatNumber(chosen, 0)} of ${dataset}`;
}
