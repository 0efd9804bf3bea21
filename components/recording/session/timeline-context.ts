"use client";

import { createContext, useContext } from "react";
import type { TimeAxis } from "@/components/plots/time-axis";
import type { RecordingSession } from "@/components/recording/session/recording-session";
import type { Playback } from "./playback";
import type { EventLane, Lanes, RecordingDetail } from "./query";

/** The context that all parts of one timeline share. */
export interface Timeline {
  recording: RecordingDetail;
  axis: TimeAxis;
  playback: Playback;
  session: RecordingSession;
  lanes: Lanes | undefined;
  events: EventLane | undefined;
  /** The focused topic, for keys and the message panel. */
  topic: string | null;
  focusTopic: (topic: string) => void;
  plots: readonly string[];
  setPlots: (plots: string[]) => void;
  /** Fields that rules compared, where the address does not say what to plot. */
  findings: readonly string[];
  /** Says which of them panels plot, so that they are not plotted twice. */
  coverPlots: (paths: readonly string[]) => void;
  /** Says whether the layout that is open has panels. */
  noteLayout: (hasPanels: boolean) => void;
  /** Opens the form for an event at a moment, or over a range of seconds. */
  createEvent: (at: number, duration?: number) => void;
  /** Opens the dialog that saves a range of the recording. */
  exportRange: () => void;
  /** On phones the timeline is read-only. */
  readOnly: boolean;
  /** Why the person may create no events and rules. */
  reason: string | undefined;
  /** Whether panels have the page alone. */
  isAlone: boolean;
  /** Pixels left of the chart. */
  left: number;
}

export const TimelineContext = createContext<Timeline | null>(null);

/** The timeline a component is part of. */
export function useTimeline(): Timeline {
  const timeline = useContext(TimelineContext);
  if (!timeline) throw new Error("useTimeline needs a TimelineContext around it.");
  return timeline;
}
