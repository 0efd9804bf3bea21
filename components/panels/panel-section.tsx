"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import type { MapMark } from "@/components/map/draw-map";
import { MapPanel } from "@/components/map/map-panel";
import type { TimeAxis } from "@/components/plots/time-axis";
import { isFixSchema } from "@/engine/messages/fix";
import { isPictureSchema } from "@/engine/messages/pictures";
import { PicturePanel, type PictureTopic } from "./picture-panel";
import type { RecordingSession } from "./recording-session";

/** Cameras shown at first; each costs reading and decoding. */
const shownAtFirst = 4;
/** Maps shown: receivers of one robot go the same way. */
const maxMaps = 2;

interface PanelSectionProps {
  /** The recording. */
  uid: string;
  session: RecordingSession;
  /** The recording's. */
  topics: readonly (PictureTopic & { schema: string })[];
  axis: TimeAxis;
  /** What happened, for maps. */
  marks: readonly MapMark[];
}

/** What the robot saw and where it was at the playhead; nothing for a recording without cameras and positions. */
export function PanelSection({ uid, session, topics, axis, marks }: PanelSectionProps) {
  const receivers = topics.filter(({ schema }) => isFixSchema(schema)).slice(0, maxMaps);
  const cameras = topics.filter(({ schema }) => isPictureSchema(schema));
  const [all, setAll] = useState(false);
  if (cameras.length === 0 && receivers.length === 0) return null;
  const shown = all ? cameras : cameras.slice(0, shownAtFirst);
  return (
    <section aria-label="Cameras and maps" className="border-b px-4 py-2 max-sm:px-2">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-2">
        {shown.map((topic) => (
          <PicturePanel key={topic.name} session={session} topic={topic} topics={topics} />
        ))}
        {receivers.map(({ name }) => (
          <MapPanel key={name} uid={uid} topic={name} axis={axis} marks={marks} />
        ))}
      </div>
      {shown.length < cameras.length && (
        <Button variant="link" className="mt-1 text-meta" onClick={() => setAll(true)}>
          Show {plural(cameras.length - shown.length, "more camera")}
        </Button>
      )}
    </section>
  );
}
