"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { cn } from "@/components/kit/cn";
import { useNarrow } from "@/components/kit/media-query";
import { Select } from "@/components/kit/select";
import { ChartSurface } from "@/components/plots/chart-surface";
import type { TimeAxis } from "@/components/plots/time-axis";
import { DensityLanes } from "@/components/recording/lanes/density-lanes";
import { LabelEdge, useLabelWidth } from "@/components/recording/lanes/label-edge";
import { Lane } from "@/components/recording/lanes/lane";
import { TimeMarks } from "@/components/recording/lanes/time-ruler";
import { useCoverPage } from "@/components/recording/page/cover-page";
import { PlaybackBar } from "@/components/recording/page/playback-bar";
import { TopicDrawer } from "@/components/recording/page/topic-drawer";
import { expectsPanels, useViewParts } from "@/components/recording/page/view-parts";
import { ViewTools } from "@/components/recording/page/view-tools";
import { useAddressFollows } from "@/components/recording/session/address";
import { Playback } from "@/components/recording/session/playback";
import { labelWidth, type RecordingDetail } from "@/components/recording/session/query";
import { TimelineContext, type Timeline, useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath } from "@/components/recording/session/topic-path";
import { useRecordingSession } from "@/components/recording/session/use-recording-session";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { parseDateTimeNs, secondsFromNs } from "@/domain/time/nanoseconds";
import { listAlignments, resolveAlignment } from "./alignment";
import { useCompareAddress } from "./compare-address";
import { CompareLanes } from "./compare-lanes";
import { ComparePanels } from "./compare-panels";
import { ComparePlots } from "./compare-plots";
import type { Letter } from "./compared-letter";
import { DifferencesPanel } from "./differences-panel";
import { LetterMark } from "./letter-mark";
import { LinkedAxes, type Extent } from "./linked-axes";
import { ShiftInput } from "./shift-input";
import { ShiftRuler } from "./shift-ruler";
import { useCompareKeys } from "./use-compare-keys";

/** How many of the fields that differ most are plotted where the address does not say. */
const maxOpened = 2;

function useExtent({ start_ns: start, end_ns: end }: RecordingDetail): Extent {
  return useMemo(() => {
    const [from, to] = [BigInt(start ?? 0), BigInt(end ?? 0)];
    return { start: from, seconds: Math.max(secondsFromNs(to - from), 0.001) };
  }, [start, end]);
}

const nothing = () => {};
const none: readonly never[] = [];

/** What the parts of the timeline need of one of the recordings: they only show it here. */
function useSide(
  recording: RecordingDetail,
  axis: TimeAxis,
  playback: Playback,
  { left, isAlone }: Pick<Timeline, "left" | "isAlone">,
): Timeline {
  const trpc = useTRPC();
  const session = useRecordingSession(recording, axis, playback);
  const lanes = useQuery(trpc.recordings.lanes.queryOptions({ uid: recording.uid })).data;
  const events = useQuery(trpc.recordings.events.queryOptions({ uid: recording.uid })).data;
  const [topic, focusTopic] = useState<string | null>(null);
  return useMemo(
    () => ({
      recording,
      axis,
      playback,
      session,
      lanes,
      events,
      topic,
      focusTopic,
      plots: none,
      setPlots: nothing,
      findings: none,
      coverPlots: nothing,
      noteLayout: nothing,
      createEvent: nothing,
      exportRange: nothing,
      readOnly: true,
      reason: undefined,
      isAlone,
      left,
    }),
    [recording, axis, playback, session, lanes, events, topic, isAlone, left],
  );
}

interface CompareViewProps {
  a: RecordingDetail;
  b: RecordingDetail;
  anchors: Outputs["recordings"]["anchors"];
}

/** Two recordings on one clock: what differs, their panels beside each other, their plots over each other. */
export function CompareView({ a, b, anchors }: CompareViewProps) {
  const trpc = useTRPC();
  const [address, setAddress] = useCompareAddress();
  const [first, second] = [useExtent(a), useExtent(b)];
  const alignment = useMemo(
    () => resolveAlignment(address.align, first, second, anchors),
    [address.align, first, second, anchors],
  );
  const offset = alignment.offset + address.shift / 1_000;
  const axes = useMemo(() => {
    const at = (text: string | null) => {
      const ns = text === null ? null : parseDateTimeNs(text);
      return ns === null ? null : secondsFromNs(ns - first.start);
    };
    const [from, to] = [at(address.from), at(address.to)];
    const span = from !== null && to !== null && to > from ? { from, to } : null;
    return new LinkedAxes(first, second, offset, { span, playhead: at(address.t) ?? from ?? 0 });
    // The address is read once: from then on the axes lead and the address follows.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [first, second]);
  useEffect(() => axes.connect(), [axes]);
  useEffect(() => axes.moveTo(offset), [axes, offset]);
  const playback = useMemo(() => new Playback(axes.a), [axes]);
  useEffect(() => () => playback.stop(), [playback]);
  useAddressFollows(axes.a, playback);
  const bounds = useSyncExternalStore(
    axes.subscribe,
    () => axes.a.bounds,
    () => axes.a.bounds,
  );
  const differences = useQuery(trpc.recordings.compare.queryOptions({ a: a.uid, b: b.uid }));
  const opened = useMemo(
    () => (differences.data?.fields.rows ?? []).slice(0, maxOpened).map(formatPath),
    [differences.data],
  );
  const plots = address.plots?.filter((path) => path !== "") ?? opened;
  const setPlots = (next: readonly string[]) => void setAddress({ plots: [...next] });
  const [hasPanels, setHasPanels] = useState(() => expectsPanels(a));
  const parts = useViewParts({ of: "compare", hasPanels, hasPlots: plots.length > 0, opensTopics: false });
  useCompareKeys(axes.a, playback, parts);
  const isAlone = parts.focus.isOn;
  const host = useRef<HTMLDivElement>(null);
  useCoverPage(host, isAlone);
  const narrow = useNarrow();
  const labels = useLabelWidth();
  const view = { left: narrow ? labelWidth.narrow : labels.width, isAlone };
  const [sideA, sideB] = [useSide(a, axes.a, playback, view), useSide(b, axes.b, playback, view)];
  // Another object when what can be shown changes, so that what measures it is drawn again.
  const clock = useMemo(() => ({ ...sideA, bounds }), [sideA, bounds]);
  const shift = (shiftMs: number) => {
    axes.moveTo(alignment.offset + shiftMs / 1_000);
    void setAddress({ shift: shiftMs });
  };
  return (
    <TimelineContext value={clock}>
      <div
        ref={host}
        tabIndex={-1}
        className={cn(
          "flex flex-1 flex-col outline-none lg:min-h-0 lg:flex-row lg:overflow-hidden",
          isAlone ? "fixed inset-0 z-30 bg-surface max-lg:overflow-y-auto" : "border-t max-lg:shrink-0",
        )}
      >
        <div className="flex min-w-0 flex-col lg:min-h-0 lg:flex-1">
          <PlaybackBar>
            {!isAlone && (
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table">
                <span className="text-muted">Align</span>
                <Select
                  aria-label="Align by"
                  className="w-56"
                  options={listAlignments(first, second, anchors)}
                  value={alignment.value}
                  onValueChange={(align) => void setAddress({ align: align === "start" ? null : align, shift: 0 })}
                />
                <span className="flex items-center gap-3">
                  <span className="text-muted">B later by</span>
                  <ShiftInput axes={axes} aligned={alignment.offset} onShift={shift} />
                </span>
              </span>
            )}
            <ViewTools parts={parts} sideLabels={{ closed: "Differences", open: "Close the differences" }} />
          </PlaybackBar>
          {!isAlone && alignment.note !== null && (
            <p className="border-b px-4 py-1 text-meta text-muted max-sm:px-2">{alignment.note}</p>
          )}
          {(!isAlone || plots.length > 0) && (
            <div className="relative shrink-0">
              {/* The only place that has the times of plots. */}
              <RulerOfA />
              {!isAlone && <ShiftRuler axes={axes} aligned={alignment.offset} onShift={shift} />}
              {!isAlone && <LabelEdge labels={labels} />}
            </div>
          )}
          {/* Its height is what pairs of panels share. */}
          <div className="min-h-0 flex-1 lg:[container-type:size] lg:basis-0 lg:overflow-y-auto">
            <ComparePanels a={sideA} b={sideB} onPanels={setHasPanels} />
            {!isAlone && <CompareLanes a={sideA} b={sideB} labels={labels} />}
            <ComparePlots
              a={sideA}
              b={sideB}
              axes={axes}
              aligned={alignment.offset}
              plots={plots}
              onPlots={setPlots}
              onShift={shift}
              hasPicker={!isAlone && !parts.topics.isShown}
            />
          </div>
          {!isAlone && parts.topics.isShown && (
            <TimelineContext value={{ ...sideA, plots, setPlots }}>
              <TopicDrawer onClose={parts.topics.toggle}>
                <SideTopics letter="A" timeline={sideA} />
                <SideTopics letter="B" timeline={sideB} />
              </TopicDrawer>
            </TimelineContext>
          )}
        </div>
        {!isAlone && (
          <DifferencesPanel
            query={differences}
            plots={plots}
            onPlot={(path) => setPlots(plots.includes(path) ? plots : [...plots, path])}
            side={parts.side}
          />
        )}
      </div>
    </TimelineContext>
  );
}

function SideTopics({ letter, timeline }: { letter: Letter; timeline: Timeline }) {
  return (
    <div role="group" aria-label={`Topics of ${letter}`} className="relative border-b last:border-b-0">
      <span className="pointer-events-none absolute top-1 right-1 z-10 rounded-control bg-surface">
        <LetterMark letter={letter} />
      </span>
      <TimelineContext value={timeline}>
        <DensityLanes />
      </TimelineContext>
    </div>
  );
}

/** The times of A. Drags move what is shown of both, the wheel zooms. */
function RulerOfA() {
  const { axis, left } = useTimeline();
  return (
    <ChartSurface axis={axis} left={left} drag="pan" wheel className="border-b">
      <Lane label={<span>Time of A</span>}>
        <TimeMarks axis={axis} />
      </Lane>
    </ChartSurface>
  );
}
