"use client";

import { useEffect, useRef, useState } from "react";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { saveBlob } from "@/components/kit/save-file";
import { Select } from "@/components/kit/select";
import { toast } from "@/components/product/toast";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";

/** Milliseconds that the browser has to copy the file to where it is saved. */
const releaseMs = 300_000;
const codecLabels: Readonly<Record<string, string>> = { avc: "H.264", hevc: "H.265", vp9: "VP9", av1: "AV1" };

interface CameraRange {
  topic: string;
  from: bigint;
  to: bigint;
}

/** Why this browser makes no videos; null where it does. */
export function findVideoObstacle(): string | null {
  if (typeof VideoEncoder !== "undefined") return null;
  return isSecureContext
    ? "This browser does not encode video for pages. Chrome, Edge, Firefox and Safari do."
    : "Browsers encode video only on pages that are served by HTTPS.";
}

/** Makes videos, one at a time; `share` is how much of one is made, from 0 to 1, null while none is. */
export function useVideoExport() {
  const { session } = useTimeline();
  const [share, setShare] = useState<number | null>(null);
  const work = useRef<AbortController | null>(null);
  useEffect(() => () => work.current?.abort(), []);
  const cancel = () => work.current?.abort();
  /** Resolves to whether it was saved. */
  const save = async (range: CameraRange, name: string): Promise<boolean> => {
    const { signal } = (work.current = new AbortController());
    setShare(0);
    try {
      const { file, release, pictures, unreadable, codec, isCopy } = await session.makeVideo(range, {
        signal,
        onProgress: setShare,
      });
      saveBlob(file, name);
      setTimeout(release, releaseMs);
      const left = unreadable > 0 ? `; ${plural(unreadable, "message")} could not be read` : "";
      toast.success(
        `Made a video of ${plural(pictures, "picture")} in ${codecLabels[codec] ?? codec}${isCopy ? ", as recorded" : ""}${left}`,
      );
      return true;
    } catch (error) {
      if (!signal.aborted) toast.failure(error, { title: "The video was not made" });
      return false;
    } finally {
      setShare(null);
    }
  };
  return { share, save, cancel };
}

interface VideoFieldsProps {
  cameras: readonly { name: string; schema: string }[];
  camera: string | null;
  onCamera: (camera: string) => void;
  share: number | null;
}

/** Which camera a video is made of, and how far it is. */
export function VideoFields({ cameras, camera, onCamera, share }: VideoFieldsProps) {
  const isVideo = cameras.some(({ name, schema }) => name === camera && isVideoSchema(schema));
  return (
    <>
      <Field
        label="Camera"
        hint={
          isVideo
            ? "Begins with the keyframe before the range; encoded again only where its pictures are out of order."
            : undefined
        }
      >
        <Select
          value={camera}
          onValueChange={onCamera}
          options={cameras.map(({ name }) => ({ value: name, label: name }))}
          disabled={share !== null}
          className="font-mono"
        />
      </Field>
      {share !== null && <Progress label="Video" showLabel share={share} />}
    </>
  );
}
