"use client";

import { ChevronLeft, ChevronRight, Table2 } from "lucide-react";
import { useMemo, useState, type PointerEvent } from "react";
import { formatDuration, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Skeleton } from "@/components/kit/skeleton";
import { TruncateMiddle } from "@/components/kit/truncate";
import { exactLabel } from "@/components/plots/axis-labels";
import { describeState, lastAt, toNumberBands, toStateBands, type StateBand } from "@/components/plots/series-columns";
import { SeriesTable } from "@/components/plots/series-table";
import { StateLane } from "@/components/plots/state-plot";
import { useSeries } from "@/components/plots/use-series";
import { PanelError } from "@/components/product/panel-error";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { findUnreadTopic, formatPath, type FieldPath } from "@/components/recording/session/topic-path";
import { UnreadTopic } from "@/components/recording/session/unread-topic";
import { findConstantPrefix, holdsParameters } from "./state-fields";

const laneHeight = 30;
/** Runs requested; more are joined with their neighbours. */
const maxRuns = 2_000;

/** The names of an enum's constants, as processing stored them. */
const listConstants = (values: unknown): string[] =>
  typeof values === "object" && values !== null
    ? Object.values(values).filter((name: unknown) => typeof name === "string")
    : [];

/** One field of states: its value at the pointer, else at the playhead, with its duration, and its bands. */
export function StateRow({ path }: { path: FieldPath }) {
  const { axis, recording } = useTimeline();
  const { zone } = useTimeZone();
  const [hover, setHover] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const playhead = useDebouncedPlayhead(axis, 100);
  const name = formatPath(path);
  const unread = useMemo(() => findUnreadTopic(name, recording.topics), [name, recording.topics]);
  // All of it, so that durations are those of the whole recording.
  const query = useSeries({
    recordingUid: recording.uid,
    ...path,
    fromNs: axis.ns(axis.bounds.from),
    toNs: axis.ns(axis.bounds.to),
    points: maxRuns,
    enabled: unread === null,
  });
  const topic = useMemo(() => recording.topics.find(({ name }) => name === path.topic), [recording.topics, path]);
  const prefix = useMemo(() => {
    const field = topic?.fields.find((each) => each.path === path.field);
    return findConstantPrefix(listConstants(field?.values));
  }, [topic, path]);
  const found = useMemo((): StateBand[] | null => {
    if (!query.data) return [];
    const { to: end } = axis.bounds;
    const all =
      query.data.kind === "state"
        ? toStateBands(query.data, axis.origin)
        : toNumberBands(query.data, axis.origin, topic !== undefined && holdsParameters(topic));
    return (
      all?.map((band) => ({
        ...band,
        to: Math.min(band.to, end),
        value: band.value.startsWith(prefix) ? band.value.slice(prefix.length) : band.value,
      })) ?? null
    );
  }, [query.data, axis, prefix, topic]);
  const bands = found ?? [];
  const at = hover ?? playhead;
  const band = lastAt(bands, at, ({ from }) => from);
  const [before, after] = [bands.findLast(({ from }) => from < playhead), bands.find(({ from }) => from > playhead)];
  const onPointerMove = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const { from, to } = axis.span;
    setHover(from + ((event.clientX - box.left) / Math.max(1, box.width)) * (to - from));
  };
  return (
    <section aria-label={name} className="flex min-w-0 flex-col">
      <div className="flex min-w-0 items-center gap-1">
        <h3 className="min-w-0 flex-1 font-mono text-meta">
          <TruncateMiddle text={name} tail={24} />
        </h3>
        <IconButton
          size="sm"
          label={`Change before of ${name}`}
          icon={<ChevronLeft aria-hidden />}
          disabled={!before}
          onClick={() => before && axis.play(before.from)}
        />
        <IconButton
          size="sm"
          label={`Next change of ${name}`}
          icon={<ChevronRight aria-hidden />}
          disabled={!after}
          onClick={() => after && axis.play(after.from)}
        />
        <IconButton
          size="sm"
          label={isTable ? `Show ${name} as bands` : `Show ${name} as a table`}
          aria-pressed={isTable}
          icon={<Table2 aria-hidden />}
          onClick={() => setTable(!isTable)}
        />
      </div>
      {unread ? (
        <p className="text-meta text-warning-text">
          <UnreadTopic topic={unread} />
        </p>
      ) : query.error && !query.data ? (
        <PanelError error={query.error} title={`${name} could not be loaded`} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton className="h-8" />
      ) : bands.length === 0 ? (
        <p className="text-meta text-subtle">{found === null ? "These are numbers, not states." : "No values."}</p>
      ) : (
        <>
          <p className="truncate text-meta text-muted tabular-nums" title={band && describeState(band)}>
            {band ? (
              <>
                <span className="text-foreground">{describeState(band)}</span> for{" "}
                {formatDuration((band.to - band.from) * 1000)}, since {exactLabel(axis, band.from, zone)}
              </>
            ) : (
              `No value before ${exactLabel(axis, bands[0]?.from ?? 0, zone)}`
            )}
          </p>
          {isTable ? (
            <SeriesTable axis={axis} readings={[]} states={bands} caption={`Values of ${name}`} />
          ) : (
            <div
              className="cursor-pointer"
              onPointerMove={onPointerMove}
              onPointerLeave={() => setHover(null)}
              onClick={() => hover !== null && axis.play(hover)}
            >
              <StateLane
                axis={axis}
                bands={bands}
                height={laneHeight}
                playhead
                label={`${name} over time: ${plural(bands.length, "state")}`}
              />
            </div>
          )}
        </>
      )}
    </section>
  );
}
