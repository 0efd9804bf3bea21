"use client";

import { Minus, Plus, Scan } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type PointerEvent, type RefObject } from "react";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { useLatest } from "@/components/kit/latest";
import { isLoadFailure, loadPart } from "@/components/kit/part-loading";
import { usePalette } from "@/components/plots/palette";
import type { TimeAxis } from "@/components/plots/time-axis";
import type { FixDetails } from "@/engine/messages/positions/fix";
import type { MapShape } from "@/engine/messages/scenes/map-features";
import { drawMap, type MapMark } from "./draw-map";
import { placeShapes } from "./feature-drawing";
import { MapWindow } from "./map-window";
import type { TileLayer } from "./tile-layer";
import type { TrackLine } from "./track-line";
import type { Tiles } from "./use-track";

const zoomStep = 1.6;
/** Pixels within which a press means a place of the track. */
const pressReach = 16;
/** Pixels that a press may move before it is a drag. */
const dragReach = 4;
const noShapes: readonly MapShape[] = [];

interface TrackMapProps {
  line: TrackLine;
  /** Its playhead is where the robot is drawn. */
  axis: TimeAxis;
  /** A press on the track, with its moment in seconds of the axis. */
  onPress?: (seconds: number) => void;
  marks: readonly MapMark[];
  /** What messages of the playhead draw. */
  shapes?: readonly MapShape[];
  /** What the message of the place says beyond it. */
  fix?: FixDetails | null;
  /** The map below; null for a grid in metres. */
  tiles: Tiles | null;
  /** Why there is a grid in place of a map. */
  noTiles: string | null;
  /** Asks for the map again; null unless it failed. */
  onRetryTiles: (() => void) | null;
  /** What the map shows, for those who do not see it. */
  label: string;
}

/**
 * A track on a map of tiles, or on a grid in metres, which fills the element around it. It draws without React: playing and
 * panning never re-render a component.
 */
export function TrackMap(props: TrackMapProps) {
  const { line, axis, onPress, marks, shapes = noShapes, fix = null, tiles, noTiles, onRetryTiles, label } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<TileLayer>(null);
  const [view] = useState(() => new MapWindow());
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const palette = usePalette();
  const placed = useMemo(() => placeShapes(shapes, line.plane), [shapes, line]);
  const paint = useLatest(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !palette || view.width === 0) return;
    const ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const playhead = axis.playhead ?? axis.bounds.from;
    const unfixed = fix !== null && fix.unfixed !== null ? line.plane.place(fix.latitude, fix.longitude) : null;
    const located = view.follows ? (unfixed ?? line.locate(playhead)) : null;
    if (located) view.keepInside(located);
    layer.current?.show(view);
    drawMap({ context, palette, view, line, marks, shapes: placed, fix, playhead, onTiles: tiles !== null });
  });
  const { ground, credits, isMissing } = useTileLayer(layer, tiles, paint);
  useEffect(() => axis.subscribe(paint), [axis, paint]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let isSized = false;
    const observer = new ResizeObserver(() => {
      view.resize(element.clientWidth, element.clientHeight);
      if (!isSized) view.fit(line.bounds);
      isSized = true;
      paint();
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent) => {
      if (!(event.ctrlKey || event.metaKey || document.fullscreenElement)) return;
      event.preventDefault();
      view.zoom(Math.exp(-Math.max(-1, Math.min(1, event.deltaY / 300))), event.offsetX, event.offsetY);
      paint();
    };
    // React's own listener is passive and cannot prevent zooming of the page.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, [line, view, paint]);
  // After every render, because marks and colours may have changed.
  useEffect(paint);

  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = drag.current;
    // A finger scrolls the page.
    if (!from || event.pointerType === "touch") return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < dragReach) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
    view.pan(dx, dy);
    paint();
  };
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = drag.current;
    drag.current = null;
    if (!from || from.moved) return;
    const { offsetX, offsetY } = event.nativeEvent;
    const { x, y } = view.toPlace(offsetX, offsetY);
    const { seconds, distance } = line.findNearest(x, y);
    if (distance * view.scale <= pressReach) onPress?.(seconds);
  };
  const change = (act: () => void) => () => {
    act();
    paint();
  };
  return (
    <>
      {tiles && (
        // MapLibre positions its own element.
        <div aria-hidden className="absolute inset-0">
          <div ref={ground} className="size-full" />
        </div>
      )}
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        className={cn("absolute inset-0 size-full", onPress && "cursor-crosshair")}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => (drag.current = null)}
      />
      <div className="absolute top-1 left-1 flex rounded-control border bg-background">
        <IconButton size="sm" label="Zoom in" icon={<Plus aria-hidden />} onClick={change(() => view.zoom(zoomStep))} />
        <IconButton
          size="sm"
          label="Zoom out"
          icon={<Minus aria-hidden />}
          onClick={change(() => view.zoom(1 / zoomStep))}
        />
        <IconButton
          size="sm"
          label="Show the whole track"
          icon={<Scan aria-hidden />}
          onClick={change(() => view.fit(line.bounds))}
        />
      </div>
      {(noTiles !== null || isMissing) && (
        <p className="pointer-events-none absolute top-1 right-7 max-w-3/5 rounded-control bg-background/90 px-1 text-right text-meta text-subtle @max-sm:line-clamp-2 @max-[19rem]:top-9 @max-[19rem]:right-1 @max-[19rem]:left-1 @max-[19rem]:max-w-none @max-[19rem]:text-left">
          {noTiles ?? "Some tiles are missing"}
          {onRetryTiles && (
            <>
              {". "}
              <button type="button" onClick={onRetryTiles} className="pointer-events-auto text-accent-text underline">
                Try again
              </button>
            </>
          )}
        </p>
      )}
      {tiles && (
        <div
          ref={credits}
          className="absolute right-1 bottom-1 max-w-3/5 text-right text-meta text-muted [&_.maplibregl-ctrl]:rounded-control [&_.maplibregl-ctrl]:bg-background! [&_a]:text-muted!"
        />
      )}
    </>
  );
}

/** A map of tiles in an element, loaded when there is one to show. Calls `onReady` when it can be moved. */
function useTileLayer(layer: RefObject<TileLayer | null>, tiles: Tiles | null, onReady: () => void) {
  const ground = useRef<HTMLDivElement>(null);
  const credits = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const places = { ground: ground.current, credits: credits.current };
    if (!tiles || !places.ground || !places.credits) return;
    const { ground: container, credits: corner } = places;
    const { styleUrl, onFail } = tiles;
    let isOver = false;
    void loadPart(() => import("./tile-layer"))
      .then(({ TileLayer }) => {
        if (isOver) return;
        layer.current = new TileLayer(container, corner, { styleUrl, onFail, onMissing: () => setMissing(true) });
        onReady();
      })
      // Without WebGL its constructor throws.
      .catch((error: unknown) =>
        onFail(isLoadFailure(error) ? "its script could not be loaded" : "this browser cannot draw it"),
      );
    return () => {
      isOver = true;
      layer.current?.remove();
      layer.current = null;
    };
  }, [layer, tiles, onReady]);
  return { ground, credits, isMissing };
}
