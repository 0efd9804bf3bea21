"use client";

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { announce } from "@/components/kit/live-region";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Select } from "@/components/kit/select";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Skeleton } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { toast } from "@/components/product/toast";
import { projectHref, projectList } from "@/components/projects/query";
import { useTRPC } from "@/components/trpc/client";
import type { Verdict } from "./decision-store";
import { NothingToReview } from "./nothing-to-review";
import { queueInput } from "./query";
import { RejectForm } from "./reject-form";
import { ResultReview } from "./result-review";
import { canBeDecided, ReviewQueue, type QueueRow } from "./review-queue";
import { useDecisions } from "./use-decisions";
import { useQueueRows } from "./use-queue-rows";
import { useReviewers } from "./use-reviewers";

interface ReviewPageProps {
  project: string;
  organization: string;
  /** Milliseconds in which a decision can be taken back. */
  undoMs?: number;
}

/** In place of a label; no label has this name, because names have no blanks at their ends. */
const everything = " ";

/** Where the results of a project are looked at and decided about, one after the other. */
export function ReviewPage({ project: uid, organization, undoMs = 8_000 }: ReviewPageProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const search = useSearchParams();
  const { refused, whoDecides } = useReviewers(uid);
  const projectQuery = useQuery(trpc.projects.overviewOf.queryOptions({ uid }));
  const project = projectQuery.data;
  const values = Object.fromEntries(search);
  const query = useInfiniteQuery(trpc.results.queue.infiniteQueryOptions(queueInput(uid, values), nextPage));
  const [isQueueOpen, setQueueOpen] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isRejectingMany, setRejectingMany] = useState(false);
  usePageTitle(project && `Review of ${project.name}`);

  const { sender, held } = useDecisions(organization, {
    undoMs,
    onSettled: (decision, answer) => {
      if (answer.said === "refused") {
        toast.failure(answer.why, { title: `${decision.name} was not ${decision.verdict}ed` });
        list.note(decision.result, answer.why);
      } else list.note(decision.result, `You ${decision.verdict}ed it`);
      void queryClient.invalidateQueries(trpc.results.pathFilter());
      void queryClient.invalidateQueries(trpc.tasks.pathFilter());
      void queryClient.invalidateQueries(trpc.projects.pathFilter());
    },
  });
  const byResult = useMemo(() => new Map(held.map((each) => [each.result, each])), [held]);
  const fetched = useMemo(() => query.data?.pages.flatMap(({ results }) => results), [query.data]);
  const list = useQueueRows(fetched, byResult);
  const { rows } = list;
  const wanted = search.get("result");
  const open = rows.find((row) => row.uid === wanted) ?? rows.find((row) => canBeDecided(row, byResult)) ?? null;
  const isLeft = rows.some((row) => canBeDecided(row, byResult));

  const write = (change: Record<string, string | null>) => {
    const next = new URLSearchParams(search);
    for (const [key, value] of Object.entries(change)) {
      if (value === null || value === "") next.delete(key);
      else next.set(key, value);
    }
    const text = next.toString();
    // Without a request to the server.
    history.replaceState(null, "", text === "" ? location.pathname : `?${text}`);
  };
  const show = (row: QueueRow | undefined) => write({ result: row?.uid ?? null });
  const openNext = (after: string, but: ReadonlySet<string> = new Set([after])) => {
    const at = rows.findIndex((row) => row.uid === after);
    const waiting = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))];
    show(waiting.find((row) => !but.has(row.uid) && canBeDecided(row, byResult)));
  };
  const keep = (row: QueueRow, verdict: Verdict, reason: string) => {
    void sender.add({ result: row.uid, task: row.task, name: row.name, verdict, reason });
  };
  const decide = (row: QueueRow, verdict: Verdict, reason: string) => {
    keep(row, verdict, reason);
    announce(`${row.name} ${verdict}ed. U takes it back.`);
    openNext(row.uid);
  };
  const decideMany = (verdict: Verdict, reason: string) => {
    const targets = rows.filter((row) => chosen.has(row.uid) && canBeDecided(row, byResult));
    for (const row of targets) keep(row, verdict, reason);
    announce(`${targets.length} ${verdict}ed. Each can be taken back.`);
    setChosen(new Set());
    setRejectingMany(false);
    if (open) openNext(open.uid, new Set(targets.map((row) => row.uid)));
  };
  const undo = (result?: string) =>
    void sender.undo(result).then((decision) => {
      if (!decision) return announce("Nothing can be taken back any more.");
      announce(`${decision.name} is open again.`);
      write({ result: decision.result });
    });
  const step = (by: 1 | -1) => {
    const at = open ? rows.indexOf(open) : -1;
    const next = rows[at + by];
    if (next) show(next);
  };
  const group = "Review";
  useShortcuts([
    { keys: "n", label: "Next result", group, run: () => step(1) },
    { keys: "p", label: "Result before", group, run: () => step(-1) },
    { keys: "u", label: "Take the last decision back", group, run: () => undo() },
  ]);

  if (isUnavailable(projectQuery))
    return (
      <PageFailure
        title={project?.name}
        noun="project"
        deletedMessage="This project was removed, or it is no longer yours to see."
        list={projectList}
        query={projectQuery}
      />
    );
  const last = held.findLast(({ phase }) => phase === "waiting");
  const decidable = rows.filter((row) => canBeDecided(row, byResult));
  const allChosen = decidable.length > 0 && decidable.every((row) => chosen.has(row.uid));
  const waitingCount = decidable.length + rows.filter((row) => row.is_own && row.became === undefined).length;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Review"
        trail={[projectList, { label: project?.name ?? "…", href: projectHref(uid) }]}
        className="pb-2"
        actions={
          <>
            <Select
              size="sm"
              aria-label="Label"
              className="w-36"
              value={search.get("label") ?? everything}
              onValueChange={(label) => write({ label: label === everything ? null : label, result: null })}
              options={[
                { value: everything, label: "Any label" },
                ...(project?.labels ?? []).map(({ name }) => ({ value: name, label: name })),
              ]}
            />
            <Select
              size="sm"
              aria-label="Order"
              className="w-32"
              value={search.get("sort") ?? "oldest"}
              onValueChange={(sort) => write({ sort: sort === "oldest" ? null : sort, result: null })}
              options={[
                { value: "oldest", label: "Oldest first" },
                { value: "newest", label: "Newest first" },
              ]}
            />
            <Button
              size="sm"
              className="lg:hidden"
              icon={<ListChecks aria-hidden />}
              aria-expanded={isQueueOpen}
              onClick={() => setQueueOpen(!isQueueOpen)}
            >
              Queue
            </Button>
          </>
        }
      />
      <div className="flex min-h-0 flex-1 border-t">
        <aside
          aria-label="Queue"
          className={cn(
            "min-h-0 shrink-0 flex-col border-r bg-surface",
            isQueueOpen ? "flex max-lg:flex-1" : "hidden lg:flex",
            "lg:w-70",
          )}
        >
          <div className="flex h-10 shrink-0 items-center justify-between gap-2 border-b px-3 text-table">
            <span className="text-muted tabular-nums">
              {fetched === undefined
                ? ""
                : chosen.size > 0
                  ? `${formatNumber(chosen.size, 0)} selected`
                  : `${formatNumber(waitingCount, 0)}${query.hasNextPage ? "+" : ""} to review`}
            </span>
            {decidable.length > 1 && refused === undefined && (
              <button
                type="button"
                className="rounded-control text-meta font-medium text-accent-text hover:underline"
                onClick={() => setChosen(allChosen ? new Set() : new Set(decidable.map((row) => row.uid)))}
              >
                {allChosen ? "Select none" : "Select all"}
              </button>
            )}
          </div>
          {query.error && !query.data ? (
            <ErrorState
              error={query.error}
              title="The queue could not be loaded"
              onRetry={() => void query.refetch()}
            />
          ) : fetched === undefined ? (
            <div className="flex flex-col gap-2 p-3">
              <Skeleton className="h-9" />
              <Skeleton className="h-9" />
              <Skeleton className="h-9" />
            </div>
          ) : (
            <ReviewQueue
              rows={rows}
              held={byResult}
              open={open?.uid ?? null}
              onOpen={(result) => {
                setQueueOpen(false);
                write({ result });
              }}
              chosen={chosen}
              onChoose={(result, isChosen) => {
                const next = new Set(chosen);
                if (isChosen) next.add(result);
                else next.delete(result);
                setChosen(next);
              }}
              onUndo={undo}
            />
          )}
          {query.hasNextPage && (
            <Button
              size="sm"
              className="m-2"
              busy={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Load more
            </Button>
          )}
          {chosen.size > 0 &&
            (isRejectingMany ? (
              <div className="flex max-h-2/3 flex-col border-t">
                <RejectForm
                  title={`${chosen.size} results`}
                  onCancel={() => setRejectingMany(false)}
                  onReject={(reason) => decideMany("reject", reason)}
                />
              </div>
            ) : (
              <div className="flex gap-2 border-t p-3 [&>button]:flex-1">
                <Button size="sm" onClick={() => setRejectingMany(true)}>
                  Reject {formatNumber(chosen.size, 0)}
                </Button>
                <Button size="sm" variant="primary" onClick={() => decideMany("accept", "")}>
                  Accept {formatNumber(chosen.size, 0)}
                </Button>
              </div>
            ))}
        </aside>
        <div className={cn("flex min-h-0 min-w-0 flex-1 flex-col", isQueueOpen && "max-lg:hidden")}>
          {open ? (
            <ResultReview
              key={open.uid}
              row={open}
              decision={byResult.get(open.uid)}
              refusal={open.is_own ? `You made this; ${whoDecides} decides.` : refused}
              onDecide={(verdict, reason) => decide(open, verdict, reason)}
              onDecidedElsewhere={(what) => {
                list.note(open.uid, what);
                announce(`${open.name}: ${what}.`);
                openNext(open.uid);
              }}
            />
          ) : fetched === undefined ? (
            <Skeleton className="m-3 flex-1" />
          ) : (
            <NothingToReview project={project} hasFilter={search.has("label") || search.has("by")} />
          )}
          {last && (
            <div
              className={cn(
                "flex items-center justify-between gap-3 border-t bg-surface px-3 py-2 text-table",
                !isLeft && "mt-auto",
              )}
            >
              <span className="min-w-0 truncate">
                {last.name} {last.verdict}ed
                {held.length > 1 && <span className="text-muted"> and {formatNumber(held.length - 1, 0)} more</span>}
              </span>
              <Button size="sm" aria-keyshortcuts="u" onClick={() => undo()}>
                Undo
              </Button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}
