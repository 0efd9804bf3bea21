"use client";

import { MapPinned } from "lucide-react";
import { useMemo } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { listMapMarks } from "@/components/recording/map/map-marks";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { scoreTopics } from "@/components/recording/session/topic-score";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isFixSchema } from "@/engine/messages/positions/fix";
import { isOdometrySchema } from "@/engine/messages/scene-schemas";
import { isFeatureSchema } from "@/engine/messages/scenes/map-features";

type Config = PanelConfigs["map"];

const MapPanel = lazyPart(async () => (await import("@/components/recording/map/map-panel")).MapPanel);

function MapView({ config, onConfig }: PanelProps<Config>) {
  const { axis, recording, lanes, events, session } = useTimeline();
  const marks = useMemo(() => listMapMarks(axis, lanes, events), [axis, lanes, events]);
  const features = useMemo(
    () => recording.topics.flatMap(({ name, schema }) => (isFeatureSchema(schema) ? [name] : [])),
    [recording.topics],
  );
  return (
    <MapPanel
      uid={recording.uid}
      topic={config.topic}
      axis={axis}
      marks={marks}
      source={session}
      features={features}
      readsFix={recording.topics.some(({ name, schema }) => name === config.topic && isFixSchema(schema))}
      colour={config.colour ?? null}
      onColour={(colour) => onConfig({ ...config, colour })}
    />
  );
}

export const mapType: PanelType<Config> = {
  label: "Map",
  icon: MapPinned,
  title: ({ topic }) => topic,
  topics: ({ topic }) => [topic],
  candidates: (subject) => {
    const hasFix = subject.topics.some(({ schema }) => isFixSchema(schema));
    return [
      ...scoreTopics(
        subject,
        // What topics draw lies on every map, so that it needs one of its own only without the way of a robot.
        ({ schema }) => isFixSchema(schema) || (isFeatureSchema(schema) && !hasFix),
        (topic) => ({ topic }),
      ),
      // Its way on the ground is beside it in 3-D already; where on earth that is, a receiver says better, and one says enough.
      ...scoreTopics(
        subject,
        ({ schema }) => isOdometrySchema(schema),
        (topic) => ({ topic }),
      ).map(({ config, score }, at) => ({ config, score: subject.hasDatum && !hasFix && at === 0 ? score : 0 })),
    ];
  },
  // Receivers of one robot go the same way.
  suggested: { most: 2, row: "below", leads: true },
  View: MapView,
  hasOwnHead: true,
};
