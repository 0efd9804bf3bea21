"use client";

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { KeyHint } from "@/components/kit/kbd";
import { announce } from "@/components/kit/live-region";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Skeleton } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { toast } from "@/components/product/toast";
import { projectHref, projectList } from "@/components/projects/query";
import { useTRPC } from "@/components/trpc/client";
import type { NewIssue } from "@/domain/tasks/issue-schema";
import { useReviewers } from "../issues/use-reviewers";
import type { Verdict } from "./decision-store";
import { NothingToReview } from "./nothing-to-review";
import { queueInput } from "./query";
import { QueueColumn } from "./queue-column";
import { ResultReview } from "./result-review";
import { canBeDecided, type QueueRow } from "./review-queue";
import { useDecisions } from "./use-decisions";
import { useQueueRows } from "./use-queue-rows";

interface ReviewPageProps {
  project: string;
  organization: string;
  /** Milliseconds in which a decision can be taken back. */
  undoMs?: number;
}

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
  usePageTitle(project && `Review of ${project.name}`);

  const renew = () => {
    for (const filter of [trpc.results.pathFilter(), trpc.tasks.pathFilter(), trpc.projects.pathFilter()])
      void queryClient.invalidateQueries(filter);
  };
  const { sender, held } = useDecisions(organization, {
    undoMs,
    onSettled: (settled) => {
      for (const { decision, answer } of settled)
        list.note(decision.result, answer.said === "refused" ? answer.why : `You ${decision.verdict}ed it`);
      const [first, ...others] = settled.filter(({ answer }) => answer.said === "refused");
      if (first?.answer.said === "refused") {
        const more = others.length > 0 ? ` and ${formatNumber(others.length, 0)} more were` : " was";
        toast.failure(first.answer.why, { title: `${first.decision.name}${more} not ${first.decision.verdict}ed` });
      }
      renew();
    },
  });
  const byResult = useMemo(() => new Map(held.map((each) => [each.result, each])), [held]);
  const fetched = useMemo(() => query.data?.pages.flatMap(({ results }) => results), [query.data]);
  const list = useQueueRows(fetched, byResult);
  const { rows } = list;
  const wanted = search.get("result");
  const isDecided = (search.get("state") ?? "submitted") !== "submitted";
  const open =
    rows.find((row) => row.uid === wanted) ??
    rows.find((row) => canBeDecided(row, byResult)) ??
    (isDecided ? rows[0] : undefined) ??
    null;

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
  const keep = (of: readonly QueueRow[], verdict: Verdict, reason: string, issues: readonly NewIssue[] = []) =>
    void sender.add(of.map(({ uid: result, task, name }) => ({ result, task, name, verdict, reason, issues })));
  const decide = (row: QueueRow, verdict: Verdict, reason: string, issues: readonly NewIssue[]) => {
    keep([row], verdict, reason, issues);
    announce(`${row.name} ${verdict}ed. U takes it back.`);
    openNext(row.uid);
  };
  const decideMany = (targets: readonly QueueRow[], verdict: Verdict, reason: string) => {
    keep(targets, verdict, reason);
    announce(`${targets.length} ${verdict}ed. Each can be taken back.`);
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
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Review"
        trail={[projectList, { label: project?.name ?? "…", href: projectHref(uid) }]}
        className="pb-2"
        actions={
          <Button
            size="sm"
            className="lg:hidden"
            icon={<ListChecks aria-hidden />}
            aria-expanded={isQueueOpen}
            onClick={() => setQueueOpen(!isQueueOpen)}
          >
            Queue
          </Button>
        }
      />
      <div className="flex min-h-0 flex-1 border-t">
        <QueueColumn
          query={query}
          rows={rows}
          held={byResult}
          open={open?.uid ?? null}
          onOpen={(result) => {
            setQueueOpen(false);
            write({ result });
          }}
          onUndo={undo}
          labels={project?.labels ?? []}
          filters={{
            state: search.get("state"),
            label: search.get("label"),
            issues: search.get("issues"),
            sort: search.get("sort"),
            sample: search.get("sample"),
          }}
          share={project?.review === "share" ? project.review_share : undefined}
          onFilter={(change) => write({ ...change, result: null })}
          mayDecide={refused === undefined}
          onDecide={decideMany}
          className={isQueueOpen ? "flex max-lg:flex-1" : "hidden lg:flex"}
        />
        <div className={cn("relative flex min-h-0 min-w-0 flex-1 flex-col", isQueueOpen && "max-lg:hidden")}>
          {open ? (
            <ResultReview
              key={open.uid}
              row={open}
              organization={organization}
              decision={byResult.get(open.uid)}
              refusal={open.is_own ? `You made this; ${whoDecides} decides.` : refused}
              onDecide={(verdict, reason, issues) => decide(open, verdict, reason, issues)}
              onRevised={() => {
                list.note(open.uid, "Corrected by you");
                announce(`${open.name} corrected.`);
                openNext(open.uid);
                renew();
              }}
              onDecidedElsewhere={(what) => {
                list.note(open.uid, what);
                announce(`${open.name}: ${what}.`);
                openNext(open.uid);
              }}
            />
          ) : fetched === undefined ? (
            <Skeleton className="m-3 flex-1" />
          ) : (
            <NothingToReview
              project={project}
              hasFilter={["label", "by", "issues", "sample"].some((key) => search.has(key))}
              isDecided={isDecided}
            />
          )}
          {last && (
            <div className="absolute bottom-14 left-1/2 z-20 flex max-w-[90%] -translate-x-1/2 items-center gap-3 rounded-panel bg-raised py-1.5 pr-1.5 pl-3 text-table shadow-float max-sm:bottom-20">
              <span className="min-w-0 truncate">
                {last.name} {last.verdict}ed
                {held.length > 1 && <span className="text-muted"> and {formatNumber(held.length - 1, 0)} more</span>}
              </span>
              <Button size="sm" variant="ghost" aria-keyshortcuts="u" onClick={() => undo()}>
                Undo
                <KeyHint keys="u" decorative />
              </Button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}
