"use client";

import { useEffect, useMemo, useState } from "react";
import { plural } from "@/components/kit/format";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import { useTimeline } from "@/components/recording/session/timeline-context";
import type { Outputs } from "@/components/trpc/client";
import { FilmPictures } from "./film-pictures";
import { laySlots } from "./film-slots";
import { Lane } from "./lane";

export type Filmstrip = NonNullable<Outputs["recordings"]["filmstrip"]>;

type Camera = Filmstrip["cameras"][number];

const filmHeight = 52;
const noteHeight = 22;
/** The height of the lane of a camera, in pixels; 0 where it has none. */
export const getFilmHeight = (camera: Camera | undefined): number =>
  camera === undefined ? 0 : camera.frames.length > 0 ? filmHeight : noteHeight;
const pictureHeight = 48;
const slotWidth = 72;

/** Small pictures of a camera over time, of which those that are seen are requested. */
export function FilmLane({ strip, camera }: { strip: Filmstrip; camera: Camera }) {
  if (camera.frames.length > 0) return <Film strip={strip} camera={camera} />;
  return (
    <Lane label={<span className="pl-6 text-subtle max-sm:sr-only">Pictures</span>}>
      <p className="truncate pl-1 text-meta text-subtle" style={{ height: noteHeight }}>
        None. {camera.reason}
      </p>
    </Lane>
  );
}

function Film({ strip, camera }: { strip: Filmstrip; camera: Camera }) {
  const { axis, recording } = useTimeline();
  const times = useMemo(() => camera.frames.map(({ time_ns }) => axis.seconds(BigInt(time_ns))), [axis, camera]);
  // Only drawn again: the pictures themselves are outside of React.
  const [, setLoaded] = useState(0);
  const pictures = useMemo(() => {
    const address = `/media/filmstrips/${recording.uid}/${strip.version}`;
    return new FilmPictures(address, camera.frames, () => setLoaded((count) => count + 1));
  }, [recording.uid, strip.version, camera]);
  useEffect(() => () => pictures.close(), [pictures]);
  return (
    <Lane label={<span className="pl-6 text-subtle max-sm:sr-only">Pictures</span>}>
      <LaneCanvas
        axis={axis}
        height={filmHeight - 2}
        role="img"
        aria-label={`${camera.topic}: ${plural(camera.frames.length, "small picture")} over time`}
        draw={({ context, width, palette }) => {
          for (const { x, index } of laySlots(times, axis.span, width, slotWidth)) {
            const picture = pictures.get(index);
            if (!picture) {
              context.fillStyle = palette.border;
              context.fillRect(Math.round(x) + 1, 1, slotWidth - 2, pictureHeight);
              continue;
            }
            const scale = Math.min((slotWidth - 2) / picture.width, pictureHeight / picture.height);
            const [across, down] = [picture.width * scale, picture.height * scale];
            context.drawImage(
              picture,
              Math.round(x) + (slotWidth - across) / 2,
              1 + (pictureHeight - down) / 2,
              across,
              down,
            );
          }
        }}
      />
    </Lane>
  );
}
