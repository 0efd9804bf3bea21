"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { formatValue } from "@/components/plots/series-columns";
import { ErrorState } from "@/components/product/error-state";
import { SideFrame } from "@/components/recording/page/side-frame";
import type { ViewParts } from "@/components/recording/page/view-parts";
import { formatPath } from "@/components/recording/session/topic-path";
import type { Outputs } from "@/components/trpc/client";
import { logLevels } from "@/engine/messages/texts/log-line";
import { DifferenceTable } from "./difference-table";

type Differences = Outputs["recordings"]["compare"];

interface DifferencesPanelProps {
  query: { data: Differences | undefined; error: unknown; refetch: () => unknown };
  plots: readonly string[];
  onPlot: (path: string) => void;
  side: ViewParts["side"];
}

/** What differs between the recordings as a whole; a field that differs leads to its plot. */
export function DifferencesPanel({ query, plots, onPlot, side }: DifferencesPanelProps) {
  const { data } = query;
  return (
    <SideFrame
      label="Differences"
      preference="compare.side.width"
      side={side}
      className="gap-5 p-4 max-lg:pb-12 lg:overflow-y-auto"
    >
      <h2 className="text-section font-semibold">Differences</h2>
      {data && side.isKnown ? (
        <Found data={data} plots={plots} onPlot={onPlot} />
      ) : query.error ? (
        <ErrorState
          error={query.error}
          title="The differences could not be computed"
          onRetry={() => void query.refetch()}
          className="py-4"
        />
      ) : (
        <SkeletonText lines={8} />
      )}
    </SideFrame>
  );
}

const hz = (value: number): string => `${formatNumber(value)} Hz`;
const silent = ({ count, seconds }: { count: number; seconds: number }): string =>
  count === 0 ? "none" : `${count} × · ${formatDuration(seconds * 1_000)}`;
const spread = ({ p50, p99 }: { p50: number; p99: number }): string => `${formatValue(p50)} / ${formatValue(p99)}`;

function Found({ data, plots, onPlot }: { data: Differences } & Omit<DifferencesPanelProps, "query" | "side">) {
  const { only_a, only_b, schemas, rates, gaps, silences, levels, alerts, fields } = data;
  const counted = [...logLevels, "unknown" as const].filter(
    (level) => (levels.a?.[level] ?? 0) !== (levels.b?.[level] ?? 0),
  );
  const hasGaps = gaps.a.count !== gaps.b.count || Math.abs(gaps.a.seconds - gaps.b.seconds) > 0.001;
  const differingAlerts = alerts.filter(({ a, b }) => a !== b);
  const same = [
    ...(only_a.total + only_b.total === 0 ? ["topics"] : []),
    ...(schemas.total === 0 ? ["schemas"] : []),
    ...(rates.total === 0 ? ["rates"] : []),
    ...(hasGaps || silences.total > 0 ? [] : ["gaps"]),
    ...(counted.length === 0 && levels.a !== null && levels.b !== null ? ["counts of log levels"] : []),
    ...(differingAlerts.length === 0 ? ["alerts"] : []),
    ...(fields.total === 0 ? ["values of fields"] : []),
  ];
  return (
    <>
      <p className="text-table text-muted">
        {data.common_topics === 0
          ? "These recordings have no topic in common."
          : `${plural(data.common_topics, "topic")} and ${plural(data.common_fields, "number field")} are in both.`}
        {same.length > 0 && data.common_topics > 0 && ` The same in both: ${same.join(", ")}.`}
      </p>
      <Part title="Values that moved most" total={fields.total} shown={fields.rows.length}>
        <DifferenceTable
          caption="Fields whose median or 99th percentile moved most"
          heads={["Field", "p50 / p99 of A", "of B", "Moved"]}
          rows={fields.rows.map((row) => {
            const path = formatPath(row);
            return {
              key: path,
              name: (
                <Button
                  variant="link"
                  size="sm"
                  // What is plotted already keeps its name legible, and the focus that plotted it.
                  className="max-w-full min-w-0 text-left font-mono text-meta wrap-anywhere whitespace-normal aria-disabled:text-foreground aria-disabled:no-underline aria-disabled:opacity-100 data-disabled:opacity-100"
                  focusableWhenDisabled
                  aria-label={`Plot ${path}`}
                  disabled={plots.includes(path)}
                  onClick={() => onPlot(path)}
                >
                  {path}
                </Button>
              ),
              cells: [spread(row.a), spread(row.b), `${Math.round(row.moved * 100)} %`],
            };
          })}
        />
        <p className="mt-1 text-meta text-subtle">
          Moved: how far the median or the 99th percentile moved, as a part of the range of both.
        </p>
      </Part>
      <Part title="Alerts" total={differingAlerts.length}>
        <DifferenceTable
          caption="Alerts by rule"
          heads={["Rule", "A", "B"]}
          rows={differingAlerts.map((row) => ({
            key: row.rule_id,
            name: row.rule_name,
            cells: [String(row.a), String(row.b)],
          }))}
        />
      </Part>
      <Part title="Log lines" total={counted.length}>
        <DifferenceTable
          caption="Log lines by level"
          heads={["Level", "A", "B"]}
          rows={counted.map((level) => ({
            key: level,
            name: level === "unknown" ? "of unknown level" : level,
            cells: [formatCount(levels.a?.[level]), formatCount(levels.b?.[level])],
          }))}
        />
      </Part>
      <Part title="Rates" total={rates.total} shown={rates.rows.length}>
        <DifferenceTable
          caption="Topics whose rate differs by more than 10 %"
          heads={["Topic", "A", "B"]}
          rows={rates.rows.map((row) => ({
            key: row.topic,
            name: <Topic name={row.topic} />,
            cells: [hz(row.a), hz(row.b)],
          }))}
        />
      </Part>
      <Part title="Gaps" total={silences.total + (hasGaps ? 1 : 0)}>
        <DifferenceTable
          caption="Parts without data"
          heads={["Topic", "A", "B"]}
          rows={[
            ...(hasGaps ? [{ key: "", name: "Could not be read", cells: [silent(gaps.a), silent(gaps.b)] }] : []),
            ...silences.rows.map((row) => ({
              key: row.topic,
              name: <Topic name={row.topic} />,
              cells: [silent(row.a), silent(row.b)],
            })),
          ]}
        />
      </Part>
      <Part title="Schemas" total={schemas.total} shown={schemas.rows.length}>
        <DifferenceTable
          caption="Topics whose schema differs"
          heads={["Topic", "A", "B"]}
          rows={schemas.rows.map((row) => ({
            key: row.topic,
            name: <Topic name={row.topic} />,
            cells: [row.a, row.b],
          }))}
        />
      </Part>
      <OnlyIn letter="A" topics={only_a} />
      <OnlyIn letter="B" topics={only_b} />
    </>
  );
}

const formatCount = (count: number | undefined): string => (count === undefined ? "not counted" : String(count));

const Topic = ({ name }: { name: string }) => <span className="font-mono text-meta">{name}</span>;

function OnlyIn({ letter, topics }: { letter: "A" | "B"; topics: Differences["only_a"] }) {
  return (
    <Part title={`Topics only in ${letter}`} total={topics.total} shown={topics.rows.length}>
      <DifferenceTable
        caption={`Topics only in ${letter}`}
        heads={["Topic", "Schema", "Messages"]}
        rows={topics.rows.map(({ topic, schema, message_count: count }) => ({
          key: topic,
          name: <Topic name={topic} />,
          cells: [schema, String(count)],
        }))}
      />
    </Part>
  );
}

/** A kind of differences, where there are any. */
function Part(props: { title: string; total: number; shown?: number; children: ReactNode }) {
  const { title, total, shown = total, children } = props;
  if (total === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-1 flex items-baseline gap-2 text-table font-semibold">
        {title} <span className="text-meta font-normal text-subtle tabular-nums">{total}</span>
      </h3>
      {children}
      {shown < total && <p className="mt-1 text-meta text-subtle">and {total - shown} more</p>}
    </section>
  );
}
