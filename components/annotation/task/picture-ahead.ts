"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { maxWholePixels } from "@/components/annotation/stage/editor-picture";
import { itemMediaHref } from "@/components/items/item-media";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { toSize } from "./task-picture";

/** Bytes of a picture up to which it is fetched before somebody needs it. */
const maxBytes = 20_000_000;

/** Whether the browser is set to spare data; only some say so. */
function sparesData(): boolean {
  const connection: unknown = "connection" in navigator ? navigator.connection : null;
  return (
    typeof connection === "object" && connection !== null && "saveData" in connection && connection.saveData === true
  );
}

function isFetchedAhead({ media, size_bytes, metadata }: Outputs["items"]["ofTask"]): boolean {
  const pixels = (toSize(metadata["width"]) ?? 0) * (toSize(metadata["height"]) ?? 0);
  return media === "image" && Number(size_bytes) <= maxBytes && pixels <= maxWholePixels;
}

/**
 * Fetches and decodes the picture of the task that probably comes next, once the one that is worked on is drawn; it is
 * dropped when the page leaves.
 */
export function usePictureAhead(hint: string | null, isDrawn: boolean): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (hint === null || !isDrawn || sparesData()) return;
    const picture = new Image();
    let isOver = false;
    const load = async () => {
      const item = await queryClient.fetchQuery(trpc.items.ofTask.queryOptions({ uid: hint }));
      if (isOver || !isFetchedAhead(item)) return;
      picture.src = itemMediaHref(item.uid, "data");
      await picture.decode();
    };
    // Somebody else may have got it, or it cannot be read: its own page says so.
    load().catch(() => {});
    return () => {
      isOver = true;
      // The page of the next task has begun to show it by then, and goes on with what was fetched.
      if (!picture.complete) picture.src = "";
    };
  }, [hint, isDrawn, queryClient, trpc]);
}
