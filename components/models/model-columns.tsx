import { runLooks } from "@/components/datasets/labels";
import { Badge } from "@/components/kit/badge";
import { formatNumber } from "@/components/kit/format";
import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status } from "@/components/product/status";
import type { Model } from "./query";

const providerNames: Readonly<Record<string, string>> = { http: "Own server", builtin: "Built in" };

/** Where a model runs, in words. */
const describeProviders = ({ providers }: Model): string =>
  providers.map((provider) => providerNames[provider] ?? provider).join(", ");

function LastRun({ of }: { of: Model }) {
  if (of.last_run_at === null || of.last_run_status === null) return <None />;
  const { tone, shape, label } = runLooks[of.last_run_status];
  return (
    <span className="flex min-w-0 items-center gap-2" title={of.last_run_error ?? undefined}>
      <Status tone={tone} shape={shape} className="shrink-0">
        {label}
      </Status>
      <RelativeTime value={of.last_run_at} rich={false} className="text-muted" />
    </span>
  );
}

export const modelColumns: readonly DataTableColumn<Model>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    cell: (model) => (
      <span className="flex min-w-0 items-center gap-2">
        <Truncate text={model.name} />
        {model.is_public && <Badge>Public</Badge>}
        {model.active_count === 0 && <Badge>Paused</Badge>}
      </span>
    ),
  },
  {
    id: "kind",
    header: "Kind",
    width: 170,
    narrow: "meta",
    cell: (model) => <Truncate text={model.model_type_name} className="text-muted" />,
  },
  {
    id: "provider",
    header: "Runs at",
    width: 130,
    cell: (model) => <Truncate text={describeProviders(model)} className="text-muted" />,
  },
  { id: "last_run", header: "Last run", width: 210, narrow: "trailing", cell: (model) => <LastRun of={model} /> },
  {
    id: "p50",
    header: "p50",
    width: 88,
    align: "right",
    cell: (model) => <Duration ms={model.p50_ms} />,
  },
  {
    id: "failed",
    header: "Failed, 7 d",
    width: 100,
    align: "right",
    narrow: "meta",
    cell: (model) =>
      model.failed_count === 0 ? (
        <span className="text-subtle">0</span>
      ) : (
        <Status tone="error" shape="cross">
          <span className="tabular-nums">{formatNumber(model.failed_count, 0)}</span>
        </Status>
      ),
  },
];
