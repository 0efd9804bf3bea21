"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { cn } from "@/components/kit/cn";
import { RelativeTime } from "@/components/kit/time";
import { recordingHref } from "@/components/product/recording-links";
import { useTRPC } from "@/components/trpc/client";

/** The newest picture of a device, with its age and recording, which it opens there; nothing where there is none. */
export function NewestPicture({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { data: picture } = useQuery(trpc.fleet.picture.queryOptions({ uid }));
  if (!picture) return null;
  const { recording_id: recording, recording_name: name, topic, at, version, offset, length } = picture;
  return (
    <section aria-labelledby="newest-picture">
      <h2 id="newest-picture" className="mb-3 text-section font-semibold">
        Newest picture
      </h2>
      <Link
        href={recordingHref(recording, { t: at, topic })}
        className="group flex items-center gap-3 rounded-panel text-table"
      >
        <SmallPicture address={`/media/filmstrips/${recording}/${version}/${offset}-${length}`} label={topic} />
        <span className="min-w-0">
          <RelativeTime value={at} rich={false} className="block" />
          <span className="block truncate group-hover:underline">{name || "Recording"}</span>
          <span className="block truncate font-mono text-meta text-muted">{topic}</span>
        </span>
      </Link>
    </section>
  );
}

/** A small picture that lies within an object of many, in a box of its size from the first frame. */
function SmallPicture({ address, label }: { address: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<{ address: string; isMissing: boolean } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const draw = async () => {
      const response = await fetch(address, { signal: stop.signal });
      if (!response.ok) throw new Error(`The picture was refused with ${response.status}.`);
      const bitmap = await createImageBitmap(new Blob([await response.arrayBuffer()], { type: "image/jpeg" }));
      const element = canvas.current;
      if (element && !stop.signal.aborted) {
        [element.width, element.height] = [bitmap.width, bitmap.height];
        element.getContext("2d")?.drawImage(bitmap, 0, 0);
      }
      bitmap.close();
    };
    draw().then(
      () => setState({ address, isMissing: false }),
      () => !stop.signal.aborted && setState({ address, isMissing: true }),
    );
    return () => stop.abort();
  }, [address]);
  const isMissing = state?.address === address && state.isMissing;
  return (
    <span className="flex h-24 w-36 shrink-0 items-center justify-center overflow-hidden rounded-control border bg-background">
      {isMissing && <span className="px-2 text-center text-meta text-subtle">The picture could not be loaded</span>}
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Picture of ${label}`}
        className={cn("size-full object-contain", isMissing && "hidden")}
      />
    </span>
  );
}
