"use client";

import { useEffect, useMemo, useState } from "react";
import { plural } from "@/components/kit/format";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import type { Outputs } from "@/components/trpc/client";
import { FilmPictures } from "./film-pictures";
import { laySlots } from "./film-slots";
import { Lane } from "./lane";
import { useTimeline } from "./timeline-context";

export type Filmstrip = NonNullable<Outputs["recordings"]["filmstrip"]>;

/** Of the lane, in pixels. */
export const filmHeight = 52;
const pictureHeight = 48;
const slotWidth = 72;

/** Small pictures of a camera over time, of which those that are seen are requested. */
export function FilmLane({ strip, camera }: { strip: Filmstrip; camera: Filmstrip["cameras"][number] }) {
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
