"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { useLatest } from "@/components/kit/latest";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { useNarrow } from "@/components/kit/media-query";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { MessageActionsContext, type MessageActions } from "@/components/product/unshown-message";
import { LabelEdge, useLabelWidth } from "@/components/recording/lanes/label-edge";
import { OverviewStrip } from "@/components/recording/lanes/overview-strip";
import { TimeRuler } from "@/components/recording/lanes/time-ruler";
import { PlotPanel } from "@/components/recording/plot/plot-panel";
import { useAddress, useAddressFollows, useTimelineAxis } from "@/components/recording/session/address";
import { useDebouncedSpan } from "@/components/recording/session/debounced";
import { FieldDrop } from "@/components/recording/session/field-drop";
import { Playback } from "@/components/recording/session/playback";
import { labelWidth, maxPlots, type RecordingDetail } from "@/components/recording/session/query";
import { saveMessage } from "@/components/recording/session/save-message";
import { TimelineContext, type Timeline } from "@/components/recording/session/timeline-context";
import { useRecordingSession } from "@/components/recording/session/use-recording-session";
import { useTRPC } from "@/components/trpc/client";
import { useCoverPage } from "./cover-page";
import { LaneList } from "./lane-list";
import { findOpening } from "./opening";
import { PlaybackBar } from "./playback-bar";
import { SidePanel } from "./side-panel";
import { useTimelineKeys } from "./timeline-keys";
import { TopicDrawer } from "./topic-drawer";
import { expectsPanels, useViewParts } from "./view-parts";
import { ViewTools } from "./view-tools";

const ExportRangeDialog = lazyDialog(async () => (await import("./export-range-dialog")).ExportRangeDialog);
const EventDialog = lazyDialog(async () => (await import("./event-dialog")).EventDialog);

/**
 * Everything of a recording on one time axis. Its panels get the room; lanes, topics and the panel of the moment open
 * beside them.
 */
export function TimelineView(props: {
  recording: RecordingDetail;
  /** Its panels, above the lanes. */
  panels: ReactNode;
  /** Whether the dialog that saves a range is open. */
  exporting: boolean;
  setExporting: (open: boolean) => void;
  /** Another dialog about a range. */
  children?: ReactNode;
}) {
  const { recording, panels, exporting, setExporting } = props;
  const trpc = useTRPC();
  const narrow = useNarrow();
  const reason = usePermissions().refusal();
  const axis = useTimelineAxis(recording);
  const [address, setAddress] = useAddress();
  const playback = useMemo(() => new Playback(axis), [axis]);
  useEffect(() => () => playback.stop(), [playback]);
  const session = useRecordingSession(recording, axis, playback);
  useAddressFollows(axis, playback);
  const span = useDebouncedSpan(axis);
  const lanes = useQuery(trpc.recordings.lanes.queryOptions({ uid: recording.uid }));
  const all = useQuery(trpc.recordings.events.queryOptions({ uid: recording.uid }));
  // When there are too many to show, only those of the visible range are requested.
  const crowded = all.data?.buckets != null;
  const near = useQuery({
    ...trpc.recordings.events.queryOptions({
      uid: recording.uid,
      from: String(axis.ns(span.from)),
      to: String(axis.ns(span.to)),
    }),
    enabled: crowded,
    placeholderData: keepPreviousData,
  });
  const events = crowded ? (near.data ?? all.data) : all.data;
  const [draft, setDraft] = useState<{ at: number; duration: number } | null>(null);
  const [hasPanels, setHasPanels] = useState(() => expectsPanels(recording));
  const [openedAt] = useState(() => axis.ns(axis.playhead ?? 0));
  const opening = useMemo(
    () => findOpening(lanes.data, recording.topics, openedAt),
    [lanes.data, recording.topics, openedAt],
  );
  const findings = useMemo(
    () => (address.plots ?? opening.plots).filter((path) => path !== ""),
    [address.plots, opening.plots],
  );
  const [covered, setCovered] = useState<readonly string[]>([]);
  const plots = useMemo(
    () => findings.filter((path) => !covered.includes(path)).slice(0, maxPlots),
    [findings, covered],
  );
  // What a link names, such as the field of an alert, comes before the lanes where panels leave both little room.
  const [isLinked] = useState(() => (address.plots ?? []).some((path) => path !== ""));
  const parts = useViewParts({ hasPanels, hasPlots: plots.length > 0 });
  const openSide = useLatest(parts.side.open);
  const isAlone = parts.focus.isOn;
  const host = useRef<HTMLDivElement>(null);
  useCoverPage(host, isAlone);
  const labels = useLabelWidth();
  const topic = address.topic ?? opening.topic;
  const timeline = useMemo<Timeline>(
    () => ({
      recording,
      axis,
      playback,
      session,
      lanes: lanes.data,
      events,
      topic,
      focusTopic: (topic) => void setAddress({ topic }),
      plots,
      // What a panel plots stays in the address, from which it came.
      setPlots: (next) =>
        void setAddress({ plots: [...new Set([...findings.filter((path) => covered.includes(path)), ...next])] }),
      findings,
      coverPlots: setCovered,
      noteLayout: setHasPanels,
      createEvent: (at, duration = 0) => setDraft({ at, duration }),
      exportRange: () => setExporting(true),
      readOnly: narrow,
      reason,
      isAlone,
      left: narrow ? labelWidth.narrow : labels.width,
    }),
    [
      recording,
      axis,
      playback,
      session,
      lanes.data,
      events,
      topic,
      plots,
      findings,
      covered,
      isAlone,
      labels.width,
      narrow,
      reason,
      setAddress,
      setExporting,
    ],
  );
  const actions = useMemo<MessageActions>(
    () => ({
      showRaw: ({ topic, time }) => {
        void setAddress({ topic, tab: "message" });
        openSide();
        session.goTo(time);
      },
      download: (message) => void saveMessage(session, message),
    }),
    [session, setAddress, openSide],
  );
  useTimelineKeys(timeline, parts);
  const isFirst = isLinked && hasPanels;
  const plotted = plots.length > 0 && (
    <section aria-label="Plots">
      <FieldDrop>
        {plots.map((path) => (
          <PlotPanel key={path} path={path} onRemove={() => timeline.setPlots(plots.filter((each) => each !== path))} />
        ))}
      </FieldDrop>
    </section>
  );
  return (
    <TimelineContext value={timeline}>
      <MessageActionsContext value={actions}>
        <div
          ref={host}
          tabIndex={-1}
          className={cn(
            "flex flex-1 flex-col outline-none lg:min-h-0 lg:flex-row lg:overflow-hidden",
            isAlone ? "fixed inset-0 z-30 bg-surface max-lg:overflow-y-auto" : "border-t max-lg:shrink-0",
          )}
        >
          <div className="flex min-w-0 flex-col lg:min-h-0 lg:flex-1">
            {/* Hidden by the stylesheet, not by a script, so that nothing moves when the scripts run. */}
            <p className="border-b bg-background px-4 py-1.5 text-meta text-muted sm:hidden">
              On a narrow screen the timeline is read-only. Use a wider one to create events and rules.
            </p>
            <PlaybackBar>
              <ViewTools
                parts={parts}
                sideLabels={{ closed: "Events, log and details", open: "Close the panel of this moment" }}
              />
            </PlaybackBar>
            {(!isAlone || plots.length > 0) && (
              <div className="relative shrink-0">
                {!isAlone && <OverviewStrip />}
                {/* The only place that has the times of plots. */}
                <TimeRuler />
                {!isAlone && <LabelEdge labels={labels} />}
              </div>
            )}
            {panels}
            <div
              hidden={isAlone && plots.length === 0}
              // Panels get what the lanes do not need, unless somebody moved the border.
              className={cn(
                "min-h-0 peer-data-full:hidden lg:max-h-max lg:grow lg:basis-0 lg:overflow-y-auto lg:peer-data-sized:max-h-none",
                // A plot is seen whole.
                isFirst && plots.length > 0 && "lg:min-h-46 lg:peer-data-sized:min-h-0",
              )}
            >
              {isFirst && plotted}
              {!isAlone && lanes.error && !lanes.data && (
                <ErrorState
                  error={lanes.error}
                  title="Alerts and rule hits could not be loaded"
                  onRetry={() => void lanes.refetch()}
                  className="py-4"
                />
              )}
              {!isAlone && all.error && !all.data && (
                <ErrorState
                  error={all.error}
                  title="Events could not be loaded"
                  onRetry={() => void all.refetch()}
                  className="py-4"
                />
              )}
              {!isAlone && <LaneList isFolded={parts.lanes.isFolded} onFold={parts.lanes.toggle} labels={labels} />}
              {!isFirst && plotted}
            </div>
            {!isAlone && parts.topics.isShown && <TopicDrawer onClose={parts.topics.toggle} />}
          </div>
          {!isAlone && <SidePanel opening={opening.tab} side={parts.side} />}
        </div>
      </MessageActionsContext>
      <Suspense>{draft && <EventDialog key={draft.at} {...draft} onClose={() => setDraft(null)} />}</Suspense>
      <Suspense>{exporting && <ExportRangeDialog onClose={() => setExporting(false)} />}</Suspense>
      <Suspense>{props.children}</Suspense>
    </TimelineContext>
  );
}
