"use client";

import { Camera } from "lucide-react";
import { defaultPictureConfig } from "@/components/panels/picture-config";
import { PicturePanel } from "@/components/panels/picture-panel";
import { useTimeline } from "@/components/timeline/timeline-context";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isCameraSchema } from "@/engine/messages/picture-schemas";
import type { PanelProps, PanelType } from "./panel-type";
import { scoreTopics } from "./topic-score";

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
