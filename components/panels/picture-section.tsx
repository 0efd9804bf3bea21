"use client";

import { useEffect, useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useTRPCClient } from "@/components/trpc/client";
import { isPictureSchema } from "@/engine/messages/pictures";
import { PicturePanel, type PictureTopic } from "./picture-panel";
import { RecordingSession, type PlaybackSource } from "./recording-session";

/** Cameras shown at first; each costs reading and decoding. */
const shownAtFirst = 4;

export interface PictureSectionProps {
  /** The recording's. */
  uid: string;
  topics: readonly (PictureTopic & { schema: string })[];
  axis: TimeAxis;
  playback: PlaybackSource;
}

/** The pictures of every camera at the playhead; nothing for a recording without cameras. */
export function PictureSection(props: PictureSectionProps) {
  const cameras = props.topics.filter(({ schema }) => isPictureSchema(schema));
  const [all, setAll] = useState(false);
  const session = useSession(props);
  if (cameras.length === 0) return null;
  const shown = all ? cameras : cameras.slice(0, shownAtFirst);
  return (
    <section aria-label="Cameras" className="border-b px-4 py-2 max-sm:px-2">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-2">
        {shown.map((topic) => (
          <PicturePanel key={topic.name} session={session} topic={topic} />
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

/** The recording's session, whose thread ends with the page. */
function useSession({ uid, axis, playback }: PictureSectionProps): RecordingSession {
  const client = useTRPCClient();
  const session = useMemo(
    () => new RecordingSession(uid, axis, playback, () => client.recordings.openPack.query({ uid })),
    [uid, axis, playback, client],
  );
  useEffect(() => () => session.close(), [session]);
  return session;
}
