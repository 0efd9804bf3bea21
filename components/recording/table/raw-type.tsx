"use client";

import { Braces } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { TimelineContext, useTimeline } from "@/components/recording/session/timeline-context";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";

type Config = PanelConfigs["raw"];

const MessagePanel = lazyPart(async () => (await import("@/components/recording/table/message-panel")).default);

/** The messages of a topic of its own, whatever topic the timeline has in focus. */
function RawView({ config, onConfig }: PanelProps<Config>) {
  const timeline = useTimeline();
  return (
    <TimelineContext value={{ ...timeline, topic: config.topic, focusTopic: (topic) => onConfig({ topic }) }}>
      <MessagePanel />
    </TimelineContext>
  );
}

export const rawType: PanelType<Config> = {
  label: "Message",
  icon: Braces,
  title: ({ topic }) => topic,
  topics: ({ topic }) => [topic],
  candidates: ({ topics }) => topics.map(({ name }) => ({ config: { topic: name }, score: 0 })),
  suggested: { most: 0, row: "below", leads: false },
  View: RawView,
};
