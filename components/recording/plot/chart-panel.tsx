"use client";

import { Table2 } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Select } from "@/components/kit/select";
import { Skeleton } from "@/components/kit/skeleton";
import { Switch } from "@/components/kit/switch";
import { toIndexLine, toPathLine, toTimeLine, type ChartLine } from "@/components/plots/chart-lines";
import { findScale } from "@/components/plots/chart-scale";
import { ChartTable } from "@/components/plots/chart-table";
import { pickColours, usePalette } from "@/components/plots/palette";
import type { Threshold } from "@/components/plots/plot-types";
import { toReadings, type SeriesData } from "@/components/plots/series-columns";
import { SeriesTable } from "@/components/plots/series-table";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useSeriesList, type LoadedSeries, type SeriesSource } from "@/components/plots/use-series-list";
import { useDebouncedSpan } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { findUnreadTopic, parsePath } from "@/components/recording/session/topic-path";
import { UnreadTopic } from "@/components/recording/session/unread-topic";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { ChartDrawing } from "./chart-drawing";
import { ChartRow, dashes } from "./chart-row";
import { toExpression } from "./plot-entry";
import { listRuleThresholds } from "./rule-thresholds";

type Config = PanelConfigs["plot"];
/** How x is chosen where all fields share one plot. */
export type ChartMode = "time" | "field" | "index";

/** Points requested of a series: more where single samples are shown. */
const points: Readonly<Record<ChartMode, number>> = { time: 1_200, index: 1_200, field: 4_000 };

interface ChartPanelProps {
  mode: ChartMode;
  config: Config;
  onConfig: (config: Config) => void;
}

/** Up to eight fields in one plot, over time, over the number of the sample, or over another field. */
export function ChartPanel({ mode, config, onConfig }: ChartPanelProps) {
  const { axis, recording, lanes, readOnly } = useTimeline();
  const { series: paths } = config;
  const [isTable, setTable] = useState(false);
  const [threshold, setThreshold] = useState<{ path: string; value: number } | null>(null);
  const palette = usePalette();
  const span = useDebouncedSpan(axis);
  const sources = useMemo(() => paths.map((path) => toSource(path, recording.topics)), [paths, recording.topics]);
  const known = sources.filter((source) => source !== null);
  const range = { fromNs: axis.ns(span.from), toNs: axis.ns(span.to), points: points[mode] };
  const loaded = useSeriesList(recording.uid, known, range);
  const states = sources.map((source) => (source === null ? null : (loaded[known.indexOf(source)] ?? null)));
  const across = mode === "field" ? Math.max(0, paths.indexOf(config.x ?? "")) : -1;
  const xData = states[across]?.data;
  const isRight = (path: string) => config.right?.includes(path) ?? false;
  const colours = palette ? pickColours(palette, paths) : [];
  const drawn = states.flatMap((state, at) => {
    const path = paths[at] ?? "";
    const data = state?.data;
    if (at === across || data?.kind !== "number") return [];
    const line = toLine(mode, data, xData, axis, span);
    if (line === null) return [];
    const style = {
      colour: colours[at] ?? "",
      dash: dashes[at % dashes.length] ?? [],
      isRight: isRight(path),
      isShaded: mode !== "field",
      thresholds: [
        ...(threshold?.path === path ? [{ value: threshold.value, label: "" }] : []),
        ...listRuleThresholds(lanes, path),
      ],
    };
    return [{ path, data, line, ...style }];
  });
  const compared = drawn.find(({ path }) => path === threshold?.path);
  const toggleThreshold = (path: string) => {
    const line = drawn.find((each) => each.path === path)?.line;
    if (threshold?.path === path || !line) return setThreshold(null);
    const { min, max } = findScale([line], "y", mode === "time" ? span : null);
    setThreshold({ path, value: Number(((min + max * 3) / 4).toPrecision(3)) });
  };
  const isEqual = mode === "field" && (config.equal_scales ?? true);
  const xName = mode === "time" ? "time" : mode === "index" ? "the number of the sample" : (paths[across] ?? "");
  const isLoading = !palette || loaded.some(({ data, error }) => data === undefined && error === null);
  return (
    <div className="flex h-full min-h-56 flex-col">
      {paths.length > 0 && (
        <div className="flex shrink-0 items-start gap-1 pt-1 pr-1">
          <ul aria-label="Plotted fields" className="flex min-w-0 flex-1 flex-col">
            {paths.map((path, at) => (
              <ChartRow
                key={path}
                path={path}
                colour={colours[at] ?? "transparent"}
                dash={dashes[at % dashes.length] ?? []}
                isX={at === across}
                isRight={isRight(path)}
                note={describe(findUnread(path, recording.topics), sources[at] ?? null, states[at] ?? null)}
                readings={toRowReadings(states[at]?.data, axis)}
                unit={states[at]?.data?.unit}
                threshold={compared?.path === path ? (threshold?.value ?? null) : null}
                onThreshold={
                  isTable || !drawn.some((each) => each.path === path) ? undefined : () => toggleThreshold(path)
                }
                onRight={
                  mode === "field" && isEqual
                    ? undefined
                    : (right) =>
                        onConfig({
                          ...config,
                          right: right
                            ? [...(config.right ?? []), path]
                            : config.right?.filter((each) => each !== path),
                        })
                }
                onChange={(next) => onConfig(replaceEntry(config, path, next))}
              />
            ))}
          </ul>
          <IconButton
            size="sm"
            className="size-6"
            label={isTable ? "Show as plot" : "Show as table"}
            aria-pressed={isTable}
            icon={<Table2 aria-hidden />}
            onClick={() => setTable(!isTable)}
          />
        </div>
      )}
      {paths.length > 0 && mode === "field" && (
        <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 pt-1 pr-1 pl-2 text-meta text-muted">
          {!readOnly && (
            <>
              <Select
                size="sm"
                aria-label="Field of the x axis"
                className="max-w-60 font-mono"
                options={paths.map((path) => ({ value: path, label: path }))}
                value={paths[across] ?? null}
                onValueChange={(x) => onConfig({ ...config, x })}
              />
              <Switch
                label="Equal scales"
                checked={isEqual}
                onCheckedChange={(equal_scales) => onConfig({ ...config, equal_scales })}
              />
            </>
          )}
          <Thinned data={[xData, ...drawn.map(({ data }) => data)]} />
        </div>
      )}
      {isTable ? (
        <div className="flex flex-col gap-2">
          {drawn.map(({ path, data, line }) =>
            mode === "time" ? (
              <SeriesTable
                key={path}
                axis={axis}
                readings={toReadings(data, axis.origin)}
                states={null}
                unit={data.unit}
                caption={`Values of ${path}`}
              />
            ) : (
              <ChartTable
                key={path}
                axis={axis}
                line={line}
                heads={[mode === "index" ? "Number" : xName, path]}
                caption={`${path} over ${xName}`}
              />
            ),
          )}
        </div>
      ) : paths.length === 0 ? null : isLoading ? (
        <Skeleton className="m-2 min-h-40 flex-1" />
      ) : drawn.length === 0 ? (
        <p className="flex min-h-24 flex-1 items-center justify-center p-3 text-center text-table text-subtle">
          {mode === "field" && paths.length === 1
            ? "Add a second field: the first one is the x axis."
            : "None of these fields has numbers here."}
        </p>
      ) : (
        <ChartDrawing
          axis={axis}
          palette={palette}
          lines={drawn}
          isOverTime={mode === "time"}
          isEqual={isEqual}
          label={[`${drawn.map(({ path }) => path).join(", ")} over ${xName}`, ...drawn.flatMap(describeRules)].join(
            ", ",
          )}
          threshold={
            threshold && compared
              ? {
                  ...threshold,
                  isRight: compared.isRight,
                  unit: compared.data.unit,
                  onChange: (value) => setThreshold({ ...threshold, value }),
                }
              : null
          }
        />
      )}
    </div>
  );
}

/** The thresholds of rules, for those who do not see them. */
const describeRules = ({ thresholds }: { thresholds: readonly Threshold[] }): string[] =>
  thresholds.flatMap(({ label }) => (label ? [`compared with ${label}`] : []));

type Topics = ReturnType<typeof useTimeline>["recording"]["topics"];
type Unread = NonNullable<ReturnType<typeof findUnread>>;

/** The topic of a field whose messages cannot be decoded. */
const findUnread = (path: string, topics: Topics) =>
  toExpression(path) === null ? findUnreadTopic(path, topics) : null;

/** What is requested for a path; null for what the recording does not have. */
function toSource(path: string, topics: Topics): SeriesSource | null {
  const expression = toExpression(path);
  if (expression !== null) return { expression };
  return findUnread(path, topics) ? null : parsePath(path, topics);
}

function toLine(
  mode: ChartMode,
  data: SeriesData,
  xData: SeriesData | undefined,
  axis: TimeAxis,
  span: { from: number; to: number },
): ChartLine | null {
  if (mode === "time") return toTimeLine(data, axis.origin);
  if (mode === "index") return toIndexLine(data, axis.origin, span);
  return xData?.kind === "number" ? toPathLine(xData, data, axis.origin, span) : null;
}

/** Why a field is not drawn; null where it is. */
function describe(unread: Unread | null, source: SeriesSource | null, state: LoadedSeries | null): ReactNode {
  if (unread) return <UnreadTopic topic={unread} />;
  if (source === null) return "This recording has no such field.";
  if (state?.error) return state.error.message;
  if (state?.data?.kind === "state") return "Not a number: it is shown only one below the other.";
  return null;
}

const toRowReadings = (data: SeriesData | undefined, axis: TimeAxis) =>
  data?.kind === "number" ? toReadings(data, axis.origin) : [];

/** A plot with another field in the place of one, or without it. */
function replaceEntry(config: Config, path: string, next: string | null): Config {
  const swap = (list: readonly string[]) => [
    ...new Set(list.flatMap((each) => (each !== path ? [each] : next === null ? [] : [next]))),
  ];
  return {
    ...config,
    series: swap(config.series),
    right: swap(config.right ?? []),
    x: config.x === path ? next : config.x,
  };
}

/** Says so where not every sample is drawn. */
function Thinned({ data }: { data: readonly (SeriesData | undefined)[] }) {
  const all = data.flatMap((each) => each?.points ?? []);
  const total = all.reduce((sum, [, , , , , count]) => sum + count, 0);
  if (total === all.length) return null;
  return (
    <span>
      {formatNumber(all.length)} of {formatNumber(total)} samples
    </span>
  );
}
