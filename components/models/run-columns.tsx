import { formatNumber } from "@/components/kit/format";
import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status } from "@/components/product/status";
import type { Run } from "./query";
import { describeOver, RunProgress, RunState } from "./run-state";

export const runColumns: readonly DataTableColumn<Run>[] = [
  {
    id: "model",
    header: "Model",
    minWidth: 160,
    required: true,
    narrow: "title",
    cell: (run) => <Truncate text={run.model_name} />,
  },
  {
    id: "over",
    header: "Over",
    width: 200,
    narrow: "meta",
    cell: (run) => <Truncate text={describeOver(run)} className="text-muted" />,
  },
  {
    id: "status",
    header: "Status",
    width: 120,
    narrow: "trailing",
    cell: (run) => (
      <span title={run.error_message ?? undefined}>
        <RunState of={run} />
      </span>
    ),
  },
  { id: "progress", header: "Progress", width: 160, narrow: "meta", cell: (run) => <RunProgress of={run} /> },
  {
    id: "failed",
    header: "Failed",
    width: 80,
    align: "right",
    cell: (run) =>
      run.failed_count === 0 ? (
        <span className="text-subtle">0</span>
      ) : (
        <Status tone="error" shape="cross">
          <span className="tabular-nums">{formatNumber(run.failed_count, 0)}</span>
        </Status>
      ),
  },
  { id: "p50", header: "p50", width: 72, align: "right", cell: (run) => <Duration ms={run.p50_ms} /> },
  {
    id: "by",
    header: "By",
    width: 120,
    cell: (run) =>
      run.started_by === null ? (
        <None />
      ) : (
        <Truncate text={run.is_by_rule ? `Rule ${run.started_by}` : run.started_by} className="text-muted" />
      ),
  },
  {
    id: "started",
    header: "Started",
    width: 110,
    align: "right",
    narrow: "meta",
    cell: (run) => <RelativeTime value={run.created_at} rich={false} className="text-muted" />,
  },
];
