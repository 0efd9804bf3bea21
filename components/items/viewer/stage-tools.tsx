"use client";

import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import type { StagePlace } from "./use-stage-place";

/** What enlarges a picture, with the scale, over the lower right corner of the stage. */
export function StageTools(props: {
  place: Pick<StagePlace, "place" | "fit" | "full" | "zoom">;
  children?: ReactNode;
}) {
  const { place, children } = props;
  return (
    <div
      className="absolute right-2 bottom-2 flex items-center gap-1 rounded-panel border bg-background/90 px-1 text-meta text-muted tabular-nums"
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {children}
      <IconButton size="sm" label="Reduce" keys="-" icon={<ZoomOut aria-hidden />} onClick={() => place.zoom(0.8)} />
      <Button
        size="sm"
        variant="ghost"
        aria-label={`${Math.round(place.place.scale * 100)} %: show pixel for pixel`}
        onClick={place.full}
      >
        {Math.round(place.place.scale * 100)} %
      </Button>
      <IconButton size="sm" label="Enlarge" keys="+" icon={<ZoomIn aria-hidden />} onClick={() => place.zoom(1.25)} />
      <IconButton size="sm" label="Fit the picture" keys="0" icon={<Maximize aria-hidden />} onClick={place.fit} />
    </div>
  );
}
