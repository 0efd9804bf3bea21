"use client";

import { Download } from "lucide-react";
import Link from "next/link";
import { Suspense, useMemo, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { Disclosure } from "@/components/kit/disclosure";
import { formatBytes, formatDuration, formatNumber, plural } from "@/components/kit/format";
import { lazyPart } from "@/components/kit/lazy-part";
import { saveFile } from "@/components/kit/save-file";
import { Skeleton } from "@/components/kit/skeleton";
import { Tabs, useTab } from "@/components/kit/tabs";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { chartData } from "./chart-data";
import type { Result } from "./query";
import { csvName, resultCsv } from "./result-csv";
import { ResultTable } from "./result-table";

// Loaded with the first chart, because it brings the library that draws.
const ResultChart = lazyPart(async () => (await import("./result-chart")).default, { className: "m-6 h-48" });

/** Recordings that were left out and are listed; the API has all of them. */
const maxSkipped = 200;

/** The answer of a query: what it took, what it leaves out, its rows and their chart. */
export function ResultView({ result }: { result: Result }) {
  const [tab, setTab] = useTab(["table", "chart"]);
  return (
    <>
      <Facts result={result} />
      <Tabs
        label="Result"
        layout="page"
        className="min-h-0 flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={[
          {
            value: "table",
            label: "Table",
            content: result.rows.length === 0 ? <Note>The query has no rows.</Note> : <ResultTable result={result} />,
          },
          { value: "chart", label: "Chart", content: <Chart result={result} /> },
        ]}
      />
    </>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <p className="px-4 py-10 text-table text-muted sm:px-6">{children}</p>
);

function Facts({ result }: { result: Result }) {
  const { row_count: rows, truncated, recordings, bytes_read: bytes, elapsed_ms: elapsed, skipped } = result;
  const download = () => {
    const name = csvName(result, new Date());
    saveFile({ name, content: resultCsv(result), type: "text/csv" });
    const more = "The query has more rows, which the file leaves out.";
    toast.success(`Saved ${plural(rows, "row")} as ${name}`, truncated ? { description: more } : {});
  };
  return (
    <div className="flex shrink-0 items-start gap-4 px-4 py-2 text-table sm:px-6">
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-4">
        <p role="status" className="py-1 text-muted tabular-nums">
          {plural(rows, "row")} from {plural(recordings, "recording")}, {formatBytes(bytes)} read in{" "}
          {formatDuration(elapsed)}
        </p>
        {truncated && (
          <Status tone="warning" className="py-1">
            <span className="whitespace-normal">There are more rows: these are the first {formatNumber(rows, 0)}.</span>
          </Status>
        )}
        {skipped.length > 0 && (
          <Disclosure label={`${plural(skipped.length, "recording")} left out`} className="py-1">
            <ul
              aria-label="Recordings left out"
              tabIndex={0}
              className="mt-1 max-h-40 overflow-y-auto pl-5 text-meta text-muted"
            >
              {skipped.slice(0, maxSkipped).map(({ recording_id: uid, topic, reason }) => (
                <li key={`${uid} ${topic}`} className="wrap-break-word">
                  <Link href={recordingHref(uid)} prefetch={false} className="font-mono text-accent-text underline">
                    {uid}
                  </Link>{" "}
                  <span className="font-mono">{topic}</span>: {reason}
                </li>
              ))}
              {skipped.length > maxSkipped && <li>and {plural(skipped.length - maxSkipped, "more recording")}.</li>}
            </ul>
          </Disclosure>
        )}
      </div>
      <Button size="sm" icon={<Download aria-hidden />} onClick={download}>
        <span className="max-sm:sr-only">Download CSV</span>
      </Button>
    </div>
  );
}

function Chart({ result }: { result: Result }) {
  const chart = useMemo(() => chartData(result), [result]);
  if (!chart || chart.points.length === 0)
    return (
      <Note>
        There is nothing to draw: a chart needs a column of numbers, and is drawn over the first column of times, such
        as log_time, or of numbers.
      </Note>
    );
  return (
    <Suspense fallback={<Skeleton className="m-6 h-48" />}>
      <ResultChart chart={chart} />
    </Suspense>
  );
}
