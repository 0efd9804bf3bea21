"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { Suspense, useMemo } from "react";
import { gridHref, itemHref, type DatasetAddress } from "@/components/items/item-links";
import { hatched } from "@/components/items/item-looks";
import { itemMediaHref } from "@/components/items/item-media";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { lazyPart } from "@/components/kit/lazy-part";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { useTRPC } from "@/components/trpc/client";
import { MediaImage } from "./media-image";
import { PlaybackBar } from "./playback-bar";
import { toAxis, type SequenceAxis } from "./sequence-frames";
import { usePlayback } from "./use-playback";

// Large, and needed for clouds only.
const SequenceCloud = lazyPart(async () => (await import("./sequence-cloud")).SequenceCloud, {
  className: "min-h-0 flex-1",
});

const empty: SequenceAxis = { times: new Float64Array(1), isTimed: false, views: [], missing: [] };

/** The views of a sequence side by side, on one axis of time. */
export function SequencePage({ dataset, uid }: { dataset: DatasetAddress; uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.sequences.frames.queryOptions({ ...dataset, uid }));
  const sequence = query.data;
  const axis = useMemo(() => (sequence ? toAxis(sequence) : empty), [sequence]);
  const [address, setAddress] = useQueryState(
    "frame",
    parseAsInteger.withDefault(0).withOptions({ history: "replace", throttleMs: 300 }),
  );
  const [solo, setSolo] = useQueryState("view", parseAsString.withOptions({ history: "replace" }));
  const at = Math.max(0, Math.min(axis.times.length - 1, address));
  const playback = usePlayback(axis.times, at, (next) => void setAddress(next));
  usePageTitle(sequence?.key);
  const list = { label: "Sequences", href: `${gridHref(dataset)}?tab=sequences` };
  if (isUnavailable(query))
    return (
      <PageFailure
        title={sequence?.key}
        noun="sequence"
        deletedMessage="This sequence was deleted, or it is in another dataset."
        list={list}
        query={query}
      />
    );
  const shown = axis.views.filter(({ key }) => solo === null || key === solo);
  const views = shown.length > 0 ? shown : axis.views;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={sequence?.key ?? "…"}
        trail={[{ label: "Datasets", href: "/datasets" }, { label: dataset.slug, href: gridHref(dataset) }, list]}
        meta={
          sequence && (
            <span>
              {plural(axis.times.length, "frame")}, {plural(axis.views.length, "view")}
              {!axis.isTimed && ", without times of their own: shown at 10 a second"}
            </span>
          )
        }
      />
      {axis.views.length > 1 && (
        <div role="group" aria-label="Views" className="flex shrink-0 flex-wrap gap-1 px-4 pb-2 sm:px-6">
          <Button
            size="sm"
            variant="ghost"
            aria-pressed={solo === null}
            className={solo === null ? "bg-selected text-foreground" : undefined}
            onClick={() => void setSolo(null)}
          >
            All views
          </Button>
          {axis.views.map(({ key }) => (
            <Button
              key={key}
              size="sm"
              variant="ghost"
              aria-pressed={solo === key}
              className={solo === key ? "bg-selected text-foreground" : undefined}
              onClick={() => void setSolo(solo === key ? null : key)}
            >
              {key}
            </Button>
          ))}
        </div>
      )}
      <div
        className={cn(
          "grid min-h-0 flex-1 gap-px overflow-y-auto border-t bg-border",
          views.length > 1
            ? // The last of an odd number has its row to itself.
              "auto-rows-[minmax(12rem,1fr)] sm:grid-cols-2 sm:[&>*:last-child:nth-child(odd)]:col-span-2"
            : "grid-cols-1",
        )}
      >
        {views.map((view) => (
          <SequenceView key={view.key} dataset={dataset} view={view} at={at} />
        ))}
      </div>
      <PlaybackBar playback={playback} times={axis.times} frame={at} marks={[]} missing={axis.missing} />
    </div>
  );
}

interface SequenceViewProps {
  dataset: DatasetAddress;
  view: SequenceAxis["views"][number];
  at: number;
}

/** One view at a place of the axis; a frame that is missing is hatched and named. */
function SequenceView({ dataset, view, at }: SequenceViewProps) {
  const frame = view.at[at] ?? null;
  // The next one is fetched while this one is seen.
  const next = view.at[at + 1] ?? null;
  return (
    <figure className="relative flex min-h-0 flex-col bg-background">
      <figcaption className="flex shrink-0 items-center gap-2 px-2 py-1 text-meta text-muted">
        <span className="min-w-0 flex-1 truncate">{view.key}</span>
        {frame && (
          <a href={itemHref(dataset, frame.uid)} className="rounded-control text-accent-text hover:underline">
            Open frame {frame.frame}
          </a>
        )}
      </figcaption>
      {frame === null ? (
        <div className={cn(hatched, "flex flex-1 items-center justify-center text-table")}>
          <span className="rounded-control bg-background px-2 py-1">Frame {at} is missing</span>
        </div>
      ) : frame.media === "image" ? (
        <div className="relative min-h-0 flex-1">
          <MediaImage
            alt={`${view.key}, frame ${frame.frame}`}
            src={itemMediaHref(frame.uid, "data")}
            className="absolute inset-0 size-full object-contain"
          />
          {next?.media === "image" && (
            <MediaImage alt="" aria-hidden src={itemMediaHref(next.uid, "data")} className="sr-only" />
          )}
        </div>
      ) : frame.media === "points" ? (
        <Suspense>
          <SequenceCloud uid={frame.uid} label={`${view.key}, frame ${frame.frame}`} />
        </Suspense>
      ) : (
        <div className="relative flex flex-1 items-center justify-center p-4 text-center text-table text-muted">
          {frame.has_thumbnail && (
            <MediaImage
              alt={`${view.key}, frame ${frame.frame}, its first picture`}
              src={itemMediaHref(frame.uid, "thumb")}
              className="absolute inset-0 size-full object-contain"
            />
          )}
          <span className="relative rounded-control bg-background px-2 py-1">
            {frame.media === "video" ? "A video: open the frame to play it." : "Open the frame to see it."}
          </span>
        </div>
      )}
    </figure>
  );
}
