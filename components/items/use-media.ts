"use client";

import { useEffect, useState } from "react";
import { loadMedia, type LoadedMedia } from "./media-queue";

/** A picture on its way, its address in this page, or why there is none. */
type MediaState = { state: "loading" } | { state: "shown"; url: string } | { state: Exclude<LoadedMedia, Blob> };

/** Loads a picture while the component is mounted; null loads nothing. */
export function useMedia(href: string | null): MediaState {
  const [loaded, setLoaded] = useState<{ href: string; media: MediaState } | null>(null);
  useEffect(() => {
    if (href === null) return;
    const abort = new AbortController();
    let url: string | null = null;
    loadMedia(href, abort.signal).then(
      (media) => {
        if (abort.signal.aborted) return;
        if (media instanceof Blob) url = URL.createObjectURL(media);
        setLoaded({
          href,
          media: url === null ? { state: media as Exclude<LoadedMedia, Blob> } : { state: "shown", url },
        });
      },
      () => {},
    );
    return () => {
      abort.abort();
      if (url !== null) URL.revokeObjectURL(url);
      setLoaded(null);
    };
  }, [href]);
  return loaded && loaded.href === href ? loaded.media : { state: "loading" };
}
