"use client";

import { Suspense, useCallback, useState } from "react";
import type { DatasetAddress } from "@/components/items/item-links";
import type { ViewedItem } from "@/components/items/item-type";
import { lazyPart } from "@/components/kit/lazy-part";
import { ImageStage } from "./image-stage";
import { PicturesBeside } from "./pictures-beside";
import { RecordingStage } from "./recording-stage";
import type { ItemShape } from "./shapes";
import { UnavailableFile } from "./unavailable-file";

// Large, and needed for what they draw only.
const VideoStage = lazyPart(async () => (await import("./video-stage")).VideoStage);
const CloudStage = lazyPart(async () => (await import("./cloud-stage")).CloudStage);

interface ItemStageProps {
  dataset: DatasetAddress;
  item: ViewedItem;
  shapes: readonly ItemShape[];
  selected: string | null;
  filter: string;
  onStep: (forwards: boolean) => void;
}

/** The item itself: what draws it depends on its file. */
export function ItemStage({ dataset, item, ...props }: ItemStageProps) {
  const [failed, setFailed] = useState<{ uid: string; reason?: string } | null>(null);
  const onFailure = useCallback((reason?: string) => setFailed({ uid: item.uid, reason }), [item.uid]);
  if (item.status === "pending")
    return (
      <p className="flex size-full items-center justify-center text-table text-muted">The file is still being read.</p>
    );
  if (failed?.uid === item.uid)
    return <UnavailableFile dataset={dataset} item={item} reason={failed.reason} onRetry={() => setFailed(null)} />;
  const all = { item, onFailure, ...props };
  return (
    <Suspense>
      {item.media === "image" && <ImageStage key={item.uid} {...all} />}
      {item.media === "video" && <VideoStage key={item.uid} {...all} />}
      {item.media === "points" && (
        <>
          <CloudStage key={item.uid} {...all} />
          <PicturesBeside dataset={dataset} item={item} shapes={props.shapes} selected={props.selected} />
        </>
      )}
      {item.media === "recording" && <RecordingStage item={item} />}
      {item.media === "other" && <UnavailableFile dataset={dataset} item={item} onRetry={() => setFailed(null)} />}
    </Suspense>
  );
}
