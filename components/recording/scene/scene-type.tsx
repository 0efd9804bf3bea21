"use client";

import { useQuery } from "@tanstack/react-query";
import { Box } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { scoreTopics } from "@/components/recording/session/topic-score";
import { useTRPC } from "@/components/trpc/client";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { deservesScene, hasExtent } from "@/engine/messages/scene-schemas";
import { isJointSchema } from "@/engine/messages/scenes/joints";

type Config = PanelConfigs["scene"];

const ScenePanel = lazyPart(async () => (await import("@/components/recording/scene/scene-panel")).ScenePanel);

function SceneView({ config, onConfig }: PanelProps<Config>) {
  const { session, recording } = useTimeline();
  const trpc = useTRPC();
  // Without it the scene shows everything else.
  const robot = useQuery(trpc.robotDescriptions.ofRecording.queryOptions({ uid: recording.uid })).data ?? null;
  return (
    <ScenePanel session={session} topics={recording.topics} config={config} onConfigChange={onConfig} robot={robot} />
  );
}

export const sceneType: PanelType<Config> = {
  label: "3-D",
  icon: Box,
  title: () => "3-D",
  topics: () => [],
  candidates: (subject) => {
    // What has no message draws nothing.
    const topics = subject.topics.filter(({ message_count }) => Number(message_count) > 0);
    const [best] = scoreTopics(
      { ...subject, topics },
      ({ schema }) => deservesScene(schema) || (subject.hasRobot && isJointSchema(schema)),
      () => ({}),
    );
    if (best === undefined) return [];
    // Poses, odometry and frames alone are offered, but arrows in an empty space are not worth their place: a map has the way.
    const isSeen = topics.some(({ schema }) => hasExtent(schema) || (subject.hasRobot && isJointSchema(schema)));
    return [isSeen ? best : { ...best, score: 0 }];
  },
  suggested: { most: 1, row: "above", leads: true },
  View: SceneView,
  hasOwnHead: true,
};
