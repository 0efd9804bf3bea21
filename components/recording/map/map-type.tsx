"use client";

import { MapPinned } from "lucide-react";
import { useMemo } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { listMapMarks } from "@/components/recording/map/map-marks";
import type { PanelProps, PanelType, Subject } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { scoreTopics } from "@/components/recording/session/topic-score";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isFixSchema } from "@/engine/messages/positions/fix";
import { hasExtent, isWaySchema } from "@/engine/messages/scene-schemas";
import { isJointSchema } from "@/engine/messages/scenes/joints";
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

/** Topics that say where something is, those with messages first: a way is drawn from them. */
const listWays = (subject: Subject) => {
  const counts = new Map(subject.topics.map(({ name, message_count: count }) => [name, Number(count)]));
  return scoreTopics(
    subject,
    ({ schema }) => isWaySchema(schema),
    (topic) => ({ topic }),
  )
    .map((way) => (counts.get(way.config.topic) ? way : { ...way, score: 0 }))
    .toSorted((a, b) => b.score - a.score);
};

export const mapType: PanelType<Config> = {
  label: "Map",
  icon: MapPinned,
  title: ({ topic }) => topic,
  topics: ({ topic }) => [topic],
  candidates: (subject) => {
    const hasFix = subject.topics.some(({ schema }) => isFixSchema(schema));
    const hasSpace = subject.topics.some(
      ({ schema, message_count: count }) =>
        Number(count) > 0 && (hasExtent(schema) || (subject.hasRobot && isJointSchema(schema))),
    );
    return [
      ...scoreTopics(
        subject,
        // What topics draw lies on every map, so that it needs one of its own only without the way of a robot.
        ({ schema }) => isFixSchema(schema) || (isFeatureSchema(schema) && !hasFix),
        (topic) => ({ topic }),
      ),
      // Its way on the ground is in 3-D already where that is shown; where on earth that is, a receiver says better, and one
      // says enough.
      ...listWays(subject).map(({ config, score }, at) => ({
        config,
        score: !hasFix && at === 0 && (subject.hasDatum || !hasSpace) ? score : 0,
      })),
    ];
  },
  // Receivers of one robot go the same way.
  suggested: { most: 2, row: "below", leads: true },
  View: MapView,
  hasOwnHead: true,
};
