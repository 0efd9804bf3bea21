"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { useNarrow } from "@/components/kit/media-query";
import { Switch } from "@/components/kit/switch";
import { ChartSurface } from "@/components/plots/chart-surface";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { MessageActionsContext, type MessageActions } from "@/components/product/unshown-message";
import { DensityLanes } from "@/components/recording/lanes/density-lanes";
import { EventLane } from "@/components/recording/lanes/event-lane";
import { OverviewStrip } from "@/components/recording/lanes/overview-strip";
import { AlertLane, GapLane, RuleLane } from "@/components/recording/lanes/range-lanes";
import { TimeRuler } from "@/components/recording/lanes/time-ruler";
import { FieldPicker } from "@/components/recording/plot/field-picker";
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
import { findOpening } from "./opening";
import { PlaybackBar } from "./playback-bar";
import { SidePanel } from "./side-panel";
import { useTimelineKeys } from "./timeline-keys";

const ExportRangeDialog = lazyDialog(async () => (await import("./export-range-dialog")).ExportRangeDialog);
const EventDialog = lazyDialog(async () => (await import("./event-dialog")).EventDialog);

/** Everything of a recording on one time axis: panels, lanes, plots, playback, and the panel of the playhead. */
export function TimelineView(props: {
  recording: RecordingDetail;
  /** Its panels, above the lanes. */
  panels: ReactNode;
  /** Whether the dialog that saves a range is open. */
  exporting: boolean;
  setExporting: (open: boolean) => void;
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
  const { hide } = address;
  const setHide = (next: string[]) => void setAddress({ hide: next.length > 0 ? next : null });
  const [openedAt] = useState(() => axis.ns(axis.playhead ?? 0));
  const opening = useMemo(
    () => findOpening(lanes.data, recording.topics, openedAt),
    [lanes.data, recording.topics, openedAt],
  );
  const findings = useMemo(() => (address.plots === null ? opening.plots : []), [address.plots, opening.plots]);
  const [covered, setCovered] = useState<readonly string[]>([]);
  const plots = useMemo(() => {
    const paths = address.plots ?? findings.filter((path) => !covered.includes(path));
    return paths.filter((path) => path !== "").slice(0, maxPlots);
  }, [address.plots, findings, covered]);
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
      setPlots: (next) => void setAddress({ plots: next }),
      findings,
      coverPlots: setCovered,
      createEvent: (at, duration = 0) => setDraft({ at, duration }),
      exportRange: () => setExporting(true),
      readOnly: narrow,
      reason,
      left: narrow ? labelWidth.narrow : labelWidth.wide,
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
        session.goTo(time);
      },
      download: (message) => void saveMessage(session, message),
    }),
    [session, setAddress],
  );
  useTimelineKeys(timeline);
  const { left } = timeline;
  const rules = lanes.data?.rules ?? [];
  const shownRules = hide.includes("all") ? [] : rules.filter((rule) => !hide.includes(rule.rule_id));
  return (
    <TimelineContext value={timeline}>
      <MessageActionsContext value={actions}>
        <div className="flex flex-1 flex-col border-t max-lg:shrink-0 lg:min-h-0 lg:flex-row lg:overflow-hidden">
          <div className="flex min-w-0 flex-col lg:min-h-0 lg:flex-1">
            {/* Hidden by the stylesheet, not by a script, so that nothing moves when the scripts run. */}
            <p className="border-b bg-background px-4 py-1.5 text-meta text-muted sm:hidden">
              On a narrow screen the timeline is read-only. Use a wider one to create events and rules.
            </p>
            <PlaybackBar />
            <OverviewStrip />
            <TimeRuler />
            {panels}
            <div className="min-h-0 flex-1 peer-data-full:hidden lg:basis-0 lg:overflow-y-auto">
              {lanes.error && !lanes.data && (
                <ErrorState
                  error={lanes.error}
                  title="Alerts and rule hits could not be loaded"
                  onRetry={() => void lanes.refetch()}
                  className="py-4"
                />
              )}
              {all.error && !all.data && (
                <ErrorState
                  error={all.error}
                  title="Events could not be loaded"
                  onRetry={() => void all.refetch()}
                  className="py-4"
                />
              )}
              <section aria-label="What happened" className="border-b">
                <AlertLane />
                <EventLane />
                <ChartSurface axis={axis} left={left} drag="pan">
                  {shownRules.map((rule) => (
                    <RuleLane key={rule.rule_id} rule={rule} onHide={() => setHide([...hide, rule.rule_id])} />
                  ))}
                  <GapLane />
                </ChartSurface>
                {rules.length > 0 && (
                  <div className="flex h-8 items-center gap-4 pl-4 text-meta text-muted max-sm:pl-2">
                    <Switch
                      checked={shownRules.length > 0}
                      onCheckedChange={(on) => setHide(on ? [] : ["all"])}
                      label={`Rule hits of ${rules.length}`}
                    />
                    {shownRules.length > 0 && shownRules.length < rules.length && (
                      <Button variant="link" className="text-meta" onClick={() => setHide([])}>
                        Show {rules.length - shownRules.length} hidden
                      </Button>
                    )}
                  </div>
                )}
              </section>
              <section aria-label="Plots">
                <FieldDrop>
                  <div className="flex min-h-11 items-center gap-3 border-b py-1 pr-3 pl-4 max-sm:pl-2">
                    <h2 className="text-meta font-medium text-muted">Plots</h2>
                    <FieldPicker />
                  </div>
                  {plots.map((path) => (
                    <PlotPanel
                      key={path}
                      path={path}
                      onRemove={() => timeline.setPlots(plots.filter((each) => each !== path))}
                    />
                  ))}
                </FieldDrop>
              </section>
              <DensityLanes />
            </div>
          </div>
          <SidePanel opening={opening.tab} />
        </div>
      </MessageActionsContext>
      <Suspense>{draft && <EventDialog key={draft.at} {...draft} onClose={() => setDraft(null)} />}</Suspense>
      <Suspense>{exporting && <ExportRangeDialog onClose={() => setExporting(false)} />}</Suspense>
    </TimelineContext>
  );
}
