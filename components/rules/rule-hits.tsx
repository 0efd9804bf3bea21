"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo, type ReactNode } from "react";
import { EmptyState } from "@/components/kit/empty-state";
import { Duration, NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import type { Outputs } from "@/components/trpc/client";
import { toConditionDraft } from "./draft";
import { hitHref, hitMs } from "./moments";
import type { Rule } from "./query";
import { JudgementLabel } from "./suggestions/outcome-summary";
import { toJudgements } from "./suggestions/outcomes";

type Hit = Outputs["rules"]["hits"]["results"][number];

/** A rule's latest hits as links to their moments; for the drawer. */
export function RuleHits({ rule, max }: { rule: Pick<Rule, "uid" | "condition">; max: number }) {
  const { uid, condition } = rule;
  const trpc = useTRPC();
  const { query, rows: hits } = useListQuery(trpc.rules.hits.infiniteQueryOptions({ uid, limit: max }, nextPage));
  if (query.error)
    return <ErrorState error={query.error} title="The hits could not be loaded" onRetry={() => void query.refetch()} />;
  if (!hits) return <SkeletonText lines={3} />;
  if (hits.length === 0) return <p className="text-table text-muted">It has not triggered yet.</p>;
  return (
    <ul className="flex flex-col text-table">
      {hits.map((hit) => (
        <li
          key={`${hit.recording_id} ${hit.triggered_ns}`}
          className="flex h-8 items-center justify-between gap-3 border-b last:border-0"
        >
          <Link
            href={hitHref(hit.recording_id, hit, toConditionDraft(condition))}
            className="text-accent-text hover:underline"
          >
            <InstantTime value={hit.triggered_at} />
          </Link>
          <Truncate className="flex-1" text={hit.device_name} />
          <span className="flex gap-4 text-muted">
            {hit.peak !== null && <NumberValue value={hit.peak} />}
            <Duration ms={hitMs(hit)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Every hit of a rule, latest first. */
export function RuleHitTable({
  uid,
  condition,
  toolbar,
}: {
  uid: string;
  condition: Record<string, unknown>;
  /** At the left of the table's own controls. */
  toolbar?: ReactNode;
}) {
  const trpc = useTRPC();
  const { table } = useListQuery(trpc.rules.hits.infiniteQueryOptions({ uid, limit: 100 }, nextPage));
  const outcomes = useQuery(trpc.rules.outcomes.queryOptions({ uid })).data;
  const judged = useMemo(() => toJudgements(outcomes ?? []), [outcomes]);
  const columns: readonly DataTableColumn<Hit>[] = [
    {
      id: "triggered_at",
      header: "Triggered",
      minWidth: 200,
      required: true,
      narrow: "title",
      cell: (hit) => <InstantTime value={hit.triggered_at} precision="millisecond" />,
    },
    {
      id: "device",
      header: "Device",
      minWidth: 140,
      narrow: "meta",
      cell: (hit) => <Truncate text={hit.device_name} />,
    },
    {
      id: "decided",
      header: "Decided",
      minWidth: 140,
      cell: (hit) => {
        const judgement = judged.get(hit.recording_id);
        return judgement ? <JudgementLabel judgement={judgement} /> : <None />;
      },
    },
    {
      id: "duration",
      header: "Lasted",
      width: 104,
      align: "right",
      narrow: "trailing",
      cell: (hit) => <Duration ms={hitMs(hit)} />,
    },
    {
      id: "peak",
      header: "Peak",
      width: 112,
      align: "right",
      narrow: "meta",
      cell: (hit) => <NumberValue value={hit.peak} />,
    },
    {
      id: "started_at",
      header: "Began",
      minWidth: 200,
      hidden: true,
      cell: (hit) => <InstantTime value={hit.started_at} precision="millisecond" />,
    },
  ];
  return (
    <DataTable
      id="rule-hits"
      label="Hits"
      noun={["hit", "hits"]}
      columns={columns}
      {...table}
      rowKey={(hit) => `${hit.recording_id}~${hit.triggered_ns}`}
      rowLabel={(hit) => `Hit at ${hit.triggered_at}`}
      href={(hit) => hitHref(hit.recording_id, hit, toConditionDraft(condition))}
      toolbar={toolbar}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No hits yet"
          description="Each time the rule triggers on a recording is listed here, with a link to its moment."
        />
      }
    />
  );
}
