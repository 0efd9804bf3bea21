"use client";

import { Camera } from "lucide-react";
import { defaultPictureConfig } from "@/components/recording/picture/picture-config";
import { PicturePanel } from "@/components/recording/picture/picture-panel";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { scoreTopics } from "@/components/recording/session/topic-score";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";

type Config = PanelConfigs["image"];

function ImageView({ config: { topic: name, ...config }, onConfig }: PanelProps<Config>) {
  const { session, recording } = useTimeline();
  const topic = recording.topics.find((each) => each.name === name);
  return (
    topic && (
      <PicturePanel
        session={session}
        topic={topic}
        topics={recording.topics}
        config={{ ...defaultPictureConfig, ...config }}
        onConfigChange={(next) => onConfig({ topic: name, ...next })}
      />
    )
  );
}

export const imageType: PanelType<Config> = {
  label: "Camera",
  icon: Camera,
  title: ({ topic }) => topic,
  topics: ({ topic }) => [topic],
  candidates: (subject) => [
    ...scoreTopics(
      subject,
      ({ schema }) => isCameraSchema(schema),
      (topic) => ({ topic }),
    ),
    ...subject.pictureLike.map((topic) => ({ config: { topic }, score: 0, note: "looks like an image" })),
  ],
  suggested: { most: 4, row: "above", leads: true },
  View: ImageView,
  hasOwnHead: true,
};
