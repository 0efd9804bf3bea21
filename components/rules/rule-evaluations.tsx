"use client";

import { Badge } from "@/components/kit/badge";
import { EmptyState } from "@/components/kit/empty-state";
import { useFilters, type FilterDefinition } from "@/components/kit/filters";
import { NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { toOptions } from "@/components/kit/options";
import { RelativeTime } from "@/components/kit/time";
import type { DataTableColumn } from "@/components/list/data-table";
import { filterInput, nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListQuery } from "@/components/list/use-list-query";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Evaluation = Outputs["rules"]["evaluations"]["results"][number];

const definitions: readonly FilterDefinition[] = [
  {
    key: "status",
    label: "Result",
    multiple: true,
    options: toOptions<Evaluation["status"]>({
      evaluated: "Evaluated",
      not_applicable: "Not applicable",
      error: "Error",
    }),
  },
];

function Result({ evaluation }: { evaluation: Evaluation }) {
  const failed = evaluation.action_results.filter(({ ok }) => !ok);
  if (evaluation.status === "error") return <Status tone="error">Error</Status>;
  if (evaluation.status === "not_applicable") return <span className="text-muted">Not applicable</span>;
  return (
    <span className="flex items-center gap-2">
      {evaluation.hit_count === 0 ? (
        <span className="text-muted">No hit</span>
      ) : (
        <span>{evaluation.hit_count === 1 ? "1 hit" : `${evaluation.hit_count} hits`}</span>
      )}
      {evaluation.storm && <Badge>Storm</Badge>}
      {failed.length > 0 && <Status tone="warning">{failed.map(({ type }) => type).join(", ")} failed</Status>}
    </span>
  );
}

const why = ({ reason, notes, action_results }: Evaluation): string =>
  [reason, ...notes, ...action_results.flatMap(({ ok, detail }) => (ok || !detail ? [] : [detail]))]
    .filter(Boolean)
    .join(" · ");

const columns: readonly DataTableColumn<Evaluation>[] = [
  {
    id: "recording",
    header: "Recording",
    minWidth: 180,
    required: true,
    narrow: "title",
    cell: (each) => each.recording_name || each.device_name,
  },
  { id: "device", header: "Device", minWidth: 120, narrow: "meta", cell: (each) => each.device_name },
  {
    id: "version",
    header: "Version",
    width: 76,
    align: "right",
    cell: (each) => <span className="tabular-nums">v{each.version}</span>,
  },
  { id: "result", header: "Result", minWidth: 160, narrow: "trailing", cell: (each) => <Result evaluation={each} /> },
  {
    id: "why",
    header: "Why",
    minWidth: 200,
    cell: (each) => (why(each) ? <span title={why(each)}>{why(each)}</span> : <None />),
  },
  {
    id: "duration",
    header: "Duration",
    width: 80,
    align: "right",
    cell: (each) => <NumberValue value={each.duration_ms} unit="ms" />,
  },
  {
    id: "evaluated_at",
    header: "Evaluated",
    width: 108,
    align: "right",
    narrow: "meta",
    cell: (each) => <RelativeTime value={each.evaluated_at} rich={false} />,
  },
];

/** The rule's evaluations, one for each recording. */
export function RuleEvaluations({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const filters = useFilters(definitions);
  const input = { ...filterInput(["status"], filters.values), uid, limit: 100 };
  const { table } = useListQuery(trpc.rules.evaluations.infiniteQueryOptions(input, nextPage));
  const probe = () => trpc.rules.evaluations.queryOptions({ uid, limit: 1 });
  return (
    <ListTable
      {...table}
      list={{ definitions, filters, probe }}
      id="rule-evaluations"
      label="Evaluations"
      noun={["evaluation", "evaluations"]}
      columns={columns}
      rowKey={(each) => each.recording_id}
      rowLabel={(each) => each.recording_name || each.device_name}
      href={(each) => recordingHref(each.recording_id)}
      filterBar={{ label: "Filter evaluations", placeholder: "Filter by result" }}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="Not evaluated yet"
          description="The rule runs over every recording that arrives while it is on. Run it over past recordings to evaluate those too."
        />
      }
    />
  );
}
