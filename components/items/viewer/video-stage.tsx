"use client";

import { parseAsFloat, parseAsInteger, useQueryStates } from "nuqs";
import { useEffect, useMemo, useRef, useState } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import { readNumber } from "@/components/items/item-type";
import { useExactVideo, type ExactVideo } from "@/components/items/video/use-exact-video";
import { Button } from "@/components/kit/button";
import { missingScript } from "@/components/kit/later-script";
import type { ImageStageProps } from "./image-stage";
import { MediaImage } from "./media-image";
import { PlaybackBar } from "./playback-bar";
import { ShapeOverlay } from "./shape-overlay";
import { StageTools } from "./stage-tools";
import { findFrame, usePlayback } from "./use-playback";
import { useStageKeys } from "./use-stage-keys";
import { useStagePlace } from "./use-stage-place";

const none = new Float64Array(1);

/** A video, frame by frame; where the browser does not decode it for pages, as its own player shows it. */
export function VideoStage(props: ImageStageProps) {
  const { item, shapes, selected, filter, onStep } = props;
  const stage = useRef<HTMLDivElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const { video, failure, retry } = useExactVideo(holder, itemMediaHref(item.uid, "data"), Number(item.size_bytes));
  const width = video?.width ?? readNumber(item, "width") ?? 1;
  const height = video?.height ?? readNumber(item, "height") ?? 1;
  const place = useStagePlace(stage, { width, height }, onStep);
  useStageKeys(place);
  const { frame, setFrame } = useFrame(video);
  const { shown, problem } = useShownFrame(video, frame);
  const playback = usePlayback(video?.times ?? none, frame, setFrame);
  const marks = useMemo(
    () => [...new Set(shapes.flatMap(({ frame: at }) => (at === null ? [] : [at])))].sort((a, b) => a - b),
    [shapes],
  );
  if (failure !== null)
    return <PlainVideo {...props} failure={failure} onRetry={failure === missingScript ? retry : null} />;
  return (
    <div className="flex size-full flex-col">
      <div
        ref={stage}
        role="group"
        aria-label="Video"
        className="relative min-h-0 flex-1 touch-none overflow-hidden select-none"
        {...place.handlers}
      >
        <div
          role="img"
          aria-label={`${item.key}, frame ${shown ?? frame}`}
          data-frame={shown ?? undefined}
          className="absolute top-0 left-0 origin-top-left"
          style={{ width, height, transform: place.matrix }}
        >
          {item.has_thumbnail && shown === null && (
            <MediaImage alt="" src={itemMediaHref(item.uid, "thumb")} className="absolute inset-0 size-full" />
          )}
          <div
            ref={holder}
            className={place.place.scale > 2 ? "size-full [&>canvas]:[image-rendering:pixelated]" : "size-full"}
            style={{ filter }}
          />
          <ShapeOverlay
            shapes={shapes.filter(({ frame: of }) => of === null || of === frame)}
            width={width}
            height={height}
            scale={place.place.scale}
            selected={selected}
          />
        </div>
        {problem !== null && (
          <p
            role="alert"
            className="absolute top-2 left-2 rounded-control bg-background/90 px-2 py-1 text-meta text-warning-text"
          >
            Frame {frame}: {problem}
          </p>
        )}
        <StageTools place={place} />
      </div>
      {video && <PlaybackBar playback={playback} times={video.times} frame={frame} marks={marks} />}
    </div>
  );
}

/** The frame that the address names, by its number or by seconds. */
function useFrame(video: ExactVideo | null) {
  const [address, setAddress] = useQueryStates(
    { frame: parseAsInteger, t: parseAsFloat },
    { history: "replace", throttleMs: 300 },
  );
  const last = (video?.times.length ?? 1) - 1;
  const wanted = address.frame ?? (address.t !== null && video ? findFrame(video.times, address.t) : 0);
  const frame = Math.max(0, video ? Math.min(last, wanted) : wanted);
  return { frame, setFrame: (next: number) => void setAddress({ frame: next, t: null }) };
}

/** Has a frame drawn; `shown` is the one that is, `problem` why the wanted one is not. */
function useShownFrame(video: ExactVideo | null, frame: number) {
  const [shown, setShown] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!video) return;
    let isOver = false;
    video.show(frame).then(
      () => {
        if (isOver) return;
        setShown(frame);
        setProblem(null);
      },
      (error: unknown) => !isOver && setProblem(error instanceof Error ? error.message : "It cannot be decoded."),
    );
    return () => void (isOver = true);
  }, [video, frame]);
  return { shown: video ? shown : null, problem };
}

/** The browser's own player, which may be a frame off. */
function PlainVideo(props: ImageStageProps & { failure: string; onRetry: (() => void) | null }) {
  const { item, filter, onFailure, failure, onRetry } = props;
  return (
    <div className="flex size-full flex-col">
      <p className="shrink-0 border-b px-3 py-1.5 text-meta text-warning-text">
        {failure} Frames may be off by one here.
        {onRetry && (
          <Button size="sm" className="ml-2" onClick={onRetry}>
            Try again
          </Button>
        )}
      </p>
      <video
        controls
        playsInline
        muted
        preload="metadata"
        aria-label={item.key}
        src={itemMediaHref(item.uid, "data")}
        poster={item.has_thumbnail ? itemMediaHref(item.uid, "thumb") : undefined}
        onError={() => onFailure()}
        className="min-h-0 w-full flex-1 bg-black object-contain"
        style={{ filter }}
      />
    </div>
  );
}
