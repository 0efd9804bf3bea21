"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { noRejection } from "../issues/rejection";
import type { HeldDecision } from "./decision-sender";
import type { Verdict } from "./decision-store";
import { reviewOrders } from "./query";
import { RejectForm } from "./reject-form";
import { canBeDecided, ReviewQueue, type QueueRow } from "./review-queue";

interface QueueQuery {
  data: unknown;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
}

interface QueueColumnProps {
  query: QueueQuery;
  rows: readonly QueueRow[];
  held: ReadonlyMap<string, HeldDecision>;
  open: string | null;
  onOpen: (uid: string) => void;
  onUndo: (uid: string) => void;
  labels: readonly { name: string }[];
  filters: {
    state: string | null;
    label: string | null;
    issues: string | null;
    sort: string | null;
    sample: string | null;
  };
  /** Of a hundred results, those that are reviewed; undefined where all are. */
  share: number | undefined;
  onFilter: (change: Record<string, string | null>) => void;
  mayDecide: boolean;
  onDecide: (rows: readonly QueueRow[], verdict: Verdict, reason: string) => void;
  className: string;
}

/** In place of a label; no label has this name, because names have no blanks at their ends. */
const anyLabel = " ";
const orderLabels: Readonly<Record<(typeof reviewOrders)[number], string>> = {
  oldest: "Oldest first",
  newest: "Newest first",
  issues: "Most open issues",
};
const orders = reviewOrders.map((value) => ({ value, label: orderLabels[value] }));
const states = [
  { value: "submitted", label: "To review" },
  { value: "accepted", label: "Accepted" },
  { value: "rejected", label: "Rejected" },
];
const issueChoices = [
  { value: "any", label: "Any issues" },
  { value: "open", label: "With open issues" },
];

/** The queue with its filters, and what is done with several of it at once. */
export function QueueColumn(props: QueueColumnProps) {
  const { query, rows, held, labels, filters, onFilter, mayDecide, onDecide } = props;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const [rejection, setRejection] = useState(noRejection);
  const decidable = rows.filter((row) => canBeDecided(row, held));
  const chosen = decidable.filter((row) => ticked.has(row.uid));
  const areAll = chosen.length === decidable.length;
  const own = rows.filter((row) => row.is_own && row.became === undefined).length;
  const isDecided = (filters.state ?? "submitted") !== "submitted";
  const count = formatNumber(isDecided ? rows.length : decidable.length + own, 0);
  const isLoading = query.data === undefined;
  const decide = (verdict: Verdict, reason: string) => {
    setTicked(new Set());
    setRejecting(false);
    setRejection(noRejection);
    onDecide(chosen, verdict, reason);
  };
  return (
    <aside
      aria-label="Queue"
      className={cn("min-h-0 shrink-0 flex-col border-r bg-surface max-lg:border-r-0 lg:w-70", props.className)}
    >
      <div className="flex gap-2 border-b p-2">
        <Select
          size="sm"
          aria-label="Label"
          value={filters.label ?? anyLabel}
          onValueChange={(label) => onFilter({ label: label === anyLabel ? null : label })}
          options={[
            { value: anyLabel, label: "Any label" },
            ...labels.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <Select
          size="sm"
          aria-label="Order"
          value={filters.sort ?? "oldest"}
          onValueChange={(sort) => onFilter({ sort: sort === "oldest" ? null : sort })}
          options={orders}
        />
      </div>
      <div className="flex gap-2 border-b p-2">
        <Select
          size="sm"
          aria-label="State"
          value={filters.state ?? "submitted"}
          onValueChange={(state) => onFilter({ state: state === "submitted" ? null : state })}
          options={states}
        />
        <Select
          size="sm"
          aria-label="Issues"
          value={filters.issues ?? "any"}
          onValueChange={(issues) => onFilter({ issues: issues === "any" ? null : issues })}
          options={issueChoices}
        />
      </div>
      {props.share !== undefined && !isDecided && (
        <div className="flex border-b p-2">
          <Select
            size="sm"
            aria-label="Sample"
            value={filters.sample ?? "sample"}
            onValueChange={(sample) => onFilter({ sample: sample === "sample" ? null : sample })}
            options={[
              { value: "sample", label: `Sample of ${props.share} %` },
              { value: "rest", label: "Not in the sample" },
              { value: "all", label: "All that wait" },
            ]}
          />
        </div>
      )}
      <div className="flex h-9 shrink-0 items-center justify-between gap-2 border-b px-3 text-table">
        <span className="text-muted tabular-nums">
          {!isLoading &&
            (chosen.length > 0
              ? `${formatNumber(chosen.length, 0)} selected`
              : `${count}${query.hasNextPage ? "+" : ""} ${isDecided ? filters.state : "to review"}`)}
        </span>
        {decidable.length > 1 && mayDecide && (
          <button
            type="button"
            className="rounded-control text-meta font-medium text-accent-text hover:underline"
            onClick={() => setTicked(areAll ? new Set() : new Set(decidable.map((row) => row.uid)))}
          >
            {areAll ? "Select none" : "Select all"}
          </button>
        )}
      </div>
      {query.error && isLoading ? (
        <ErrorState error={query.error} title="The queue could not be loaded" onRetry={() => void query.refetch()} />
      ) : isLoading ? (
        <div className="flex flex-col gap-2 p-3">
          <Skeleton className="h-9" />
          <Skeleton className="h-9" />
          <Skeleton className="h-9" />
        </div>
      ) : (
        <ReviewQueue
          rows={rows}
          held={held}
          open={props.open}
          onOpen={props.onOpen}
          onUndo={props.onUndo}
          mayDecide={mayDecide}
          chosen={ticked}
          onChoose={(uid, isChosen) => {
            const next = new Set(ticked);
            if (isChosen) next.add(uid);
            else next.delete(uid);
            setTicked(next);
          }}
        />
      )}
      {query.hasNextPage && (
        <Button size="sm" className="m-2" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
      {chosen.length > 0 &&
        (isRejecting ? (
          <div className="flex max-h-2/3 flex-col border-t">
            <RejectForm
              title={`${chosen.length} results`}
              rejection={rejection}
              onChange={setRejection}
              onCancel={() => setRejecting(false)}
              onReject={(reason) => decide("reject", reason)}
            />
          </div>
        ) : (
          <div className="flex gap-2 border-t p-3 [&>button]:flex-1">
            <Button size="sm" onClick={() => setRejecting(true)}>
              Reject {formatNumber(chosen.length, 0)}
            </Button>
            <Button size="sm" variant="primary" onClick={() => decide("accept", "")}>
              Accept {formatNumber(chosen.length, 0)}
            </Button>
          </div>
        ))}
    </aside>
  );
}
