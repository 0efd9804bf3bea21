"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleStop, Play } from "lucide-react";
import { Suspense, useId, useMemo, useRef } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Disclosure } from "@/components/kit/disclosure";
import { EmptyState } from "@/components/kit/empty-state";
import { FilterBar } from "@/components/kit/filter-bar";
import { useFilters } from "@/components/kit/filters";
import { KeyHint } from "@/components/kit/kbd";
import { lazyPart } from "@/components/kit/lazy-part";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { readFailure } from "@/components/product/failure";
import { useOrigin } from "@/components/product/origin";
import { SavedQueries } from "@/components/saved/saved-queries";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { issueLine, messageAt } from "@/domain/issues";
import { readRefusal } from "./error-place";
import { ExampleList } from "./example-list";
import { quoteName, runInput } from "./query";
import { useQueryLimits } from "./query-limits";
import { ResultView } from "./result-view";
import { RunStatus } from "./run-status";
import type { SqlEditorHandle } from "./sql-editor";
import { TopicList } from "./topic-list";
import { useRun } from "./use-run";
import { useSqlText } from "./use-sql-text";

// Loaded with this page alone, because it brings the editor.
const SqlEditor = lazyPart(async () => (await import("./sql-editor")).default);

const curl = (origin: string): string => `curl ${origin}/api/v1/fleet/signals/query/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"sql": "select device_name, count(*) from \\"/motor/state\\" group by all"}'`;

/** The editor, which is loaded after the page: what is done with it before waits for it. */
function useEditor() {
  const editor = useRef<SqlEditorHandle>(null);
  const waiting = useRef<((editor: SqlEditorHandle) => void)[]>([]);
  const withEditor = (act: (editor: SqlEditorHandle) => void): void => {
    if (editor.current) act(editor.current);
    else waiting.current.push(act);
  };
  const onReady = () => waiting.current.splice(0).forEach(withEditor);
  return { editor, withEditor, onReady };
}

/** SQL over the signals of recordings: the query, what it is limited to, its rows and a chart of them. */
export function SqlPage() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const errorId = useId();
  const { editor, withEditor, onReady } = useEditor();
  const { sql, setSql, isShared } = useSqlText();
  const definitions = useQueryLimits();
  const limits = useFilters(definitions);
  const tables = useQuery(trpc.signals.tables.queryOptions()).data?.results;
  const { run, cancel, since, result, failure, isCancelled } = useRun();
  const running = since !== null;
  const isEmpty = sql.trim() === "";
  const hasExamples = isEmpty && tables !== undefined && tables.length > 0;
  const start = () => {
    if (!running && !isEmpty) run(runInput(sql, limits.values));
  };
  useShortcuts([{ keys: "mod+enter", label: "Run the query", group: "SQL", everywhere: true, run: start }]);
  useShortcuts([{ keys: "escape", label: "Cancel the query", group: "SQL", run: cancel }], running);

  const error = useMemo(() => {
    if (!failure) return null;
    const { issues } = readFailure(failure.error);
    const message = messageAt(issues, "sql");
    return message === undefined ? null : readRefusal(message, failure.sql);
  }, [failure]);
  // What was changed since is marked no more; what it says stays until the next run.
  const shown = error && failure?.sql !== sql ? { ...error, place: null } : error;
  const ofLimits = failure && !error ? readFailure(failure.error).issues : [];

  const insert = (text: string, first?: string) => withEditor((each) => each.insert(text, first));
  const insertTopic = (topic: string) => insert(quoteName(topic), `select * from ${quoteName(topic)} limit 100`);
  const takeExample = (example: string) => {
    setSql(example);
    withEditor((each) => each.focus());
  };
  const topics = <TopicList onTopic={insertTopic} onName={insert} />;
  return (
    <>
      <PageHeader
        title="SQL"
        status={<RunStatus since={since} isCancelled={isCancelled} />}
        actions={
          <>
            <SavedQueries sql={sql} onPick={setSql} />
            <Button
              variant={running ? "secondary" : "primary"}
              icon={running ? <CircleStop aria-hidden /> : <Play aria-hidden />}
              className="min-w-23"
              disabledReason={isEmpty && !running ? "Write a query first." : undefined}
              // The second click of a double one does not end what the first began.
              onClick={running ? ({ detail }) => void (detail < 2 && cancel()) : start}
            >
              {running ? "Cancel" : "Run"}
            </Button>
          </>
        }
      />
      <div className="flex min-h-0 flex-1 border-t max-lg:flex-col max-lg:overflow-y-auto">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:flex-none">
          <div className="h-44 max-h-[60vh] min-h-24 shrink-0 resize-y overflow-hidden border-b">
            <Suspense fallback={<Skeleton className="h-full p-4" />}>
              <SqlEditor
                ref={editor}
                onReady={onReady}
                value={sql}
                onChange={setSql}
                onRun={start}
                onCancel={cancel}
                tables={tables ?? []}
                error={shown}
                describedBy={errorId}
              />
            </Suspense>
          </div>
          <div id={errorId} role="alert" className="shrink-0 text-table text-critical-text empty:hidden">
            {error && <p className="border-b px-4 py-2 whitespace-pre-wrap wrap-break-word sm:px-6">{error.text}</p>}
            {ofLimits.length > 0 && (
              <p className="border-b px-4 py-2 wrap-break-word sm:px-6">{ofLimits.map(issueLine).join(" ")}</p>
            )}
          </div>
          <div className="flex shrink-0 items-start border-b px-4 py-2 sm:px-6">
            <FilterBar
              definitions={definitions}
              filters={limits}
              label="Limit to devices, recordings and times"
              placeholder="The newest recordings of all devices"
            />
          </div>
          <Disclosure label="Topics" className="shrink-0 border-b px-4 py-2 sm:px-6 lg:hidden">
            <div className="flex h-80">{topics}</div>
          </Disclosure>
          {!isShared && (
            <p className="shrink-0 border-b px-4 py-2 text-meta text-muted sm:px-6">
              This query is too long for the address. Save it to share it.
            </p>
          )}
          <div className="flex min-h-0 flex-1 flex-col max-lg:h-[70vh] max-lg:flex-none" aria-busy={running}>
            {hasExamples && <ExampleList tables={tables} onPick={takeExample} />}
            {failure && !error && ofLimits.length === 0 ? (
              <ErrorState error={failure.error} title="The query was not answered" onRetry={start} />
            ) : result ? (
              <ResultView result={result} />
            ) : tables?.length === 0 ? (
              <EmptyState
                kind="nothing-yet"
                title="No signals yet"
                description="Every number, boolean and enum of a recording is written as a table once the recording was processed, one for each topic. Queries read them, over the whole fleet."
                curl={{ command: curl(origin), guide: guideHref("sql") }}
              />
            ) : (
              <p className={cn("px-4 text-table text-muted sm:px-6", hasExamples ? "pb-6" : "py-10")}>
                Each topic is a table. Write one SELECT over them and press <KeyHint keys="mod+enter" /> to run it.
              </p>
            )}
          </div>
        </div>
        <aside aria-label="Topics and their columns" className="hidden w-72 shrink-0 flex-col border-l lg:flex">
          {topics}
        </aside>
      </div>
    </>
  );
}
