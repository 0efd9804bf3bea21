"use client";

import Image from "next/image";
import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { formatNumber, plural } from "@/components/kit/format";
import type { MomentPreview } from "./source";

type Topic = MomentPreview["topics"][number];

/** A picture of a topic; nothing where it cannot be decoded. */
function Sample({ recordingId, topic }: { recordingId: string; topic: Topic }) {
  const [broken, setBroken] = useState(false);
  if (topic.kind !== "image" || topic.sample_ns === null || broken) return null;
  const query = new URLSearchParams({ topic: topic.name, t: topic.sample_ns });
  return (
    <Image
      unoptimized
      src={`/media/moments/${recordingId}/frame?${query}`}
      alt={`${topic.name} in this range`}
      width={64}
      height={48}
      loading="lazy"
      className="h-12 w-16 shrink-0 rounded-control bg-background object-cover"
      onError={() => setBroken(true)}
    />
  );
}

/** Which topics become items, each with its rate and a picture, and whether the clip does. */
export function TopicChoice(props: {
  recordingId: string;
  topics: readonly Topic[];
  chosen: ReadonlySet<string>;
  toggle: (name: string, on: boolean) => void;
  clip: boolean;
  setClip: (clip: boolean) => void;
}) {
  const { recordingId, topics, chosen, toggle, clip, setClip } = props;
  const offered = topics.filter(({ kind }) => kind !== "other");
  return (
    <ul className="h-44 overflow-y-auto rounded-panel border" aria-label="What to add">
      {offered.map((topic) => (
        <li key={topic.name} className="flex min-h-10 items-center gap-2 border-b px-2 py-1">
          <Checkbox
            className="min-w-0 flex-1"
            label={<span className="font-mono text-meta break-all">{topic.name}</span>}
            hint={`${topic.kind === "points" ? "Point clouds, " : ""}${formatNumber(topic.hz, 3)} Hz, ${plural(topic.frames, "frame")}`}
            checked={chosen.has(topic.name)}
            disabled={topic.frames === 0}
            onCheckedChange={(on) => toggle(topic.name, on)}
          />
          <Sample key={topic.sample_ns} recordingId={recordingId} topic={topic} />
        </li>
      ))}
      <li className="flex min-h-10 items-center px-2 py-1">
        <Checkbox label="The clip as MCAP" hint="All topics, in one file" checked={clip} onCheckedChange={setClip} />
      </li>
    </ul>
  );
}
