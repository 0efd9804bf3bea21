"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type DatasetAddress } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import type { ViewedItem } from "@/components/items/item-type";
import { Button, buttonStyles, ButtonLink } from "@/components/kit/button";
import { useTRPC } from "@/components/trpc/client";

const texts = {
  there: ["It cannot be drawn", "This browser cannot decode the file, or it is damaged. It can be downloaded."],
  gone: ["Its file is gone", "The file of this item is no longer stored. Delete the item, or upload its file again."],
  disconnected: [
    "Its bucket is not connected any more",
    "The storage configuration of the bucket that has this file was deleted.",
  ],
  unreachable: ["Its bucket cannot be reached", "The bucket that has this file refuses access or does not answer."],
} as const;

interface UnavailableFileProps {
  dataset: DatasetAddress;
  item: ViewedItem;
  /** Why the file could not be read, where that is known. */
  reason?: string | undefined;
  onRetry: () => void;
}

/** Why an item's file is not shown, and what can be done. */
export function UnavailableFile({ dataset, item, reason, onRetry }: UnavailableFileProps) {
  const trpc = useTRPC();
  const file = useQuery(trpc.items.file.queryOptions({ ...dataset, uid: item.uid }));
  if (!file.data) return null;
  const { state } = file.data;
  const [title, text] = texts[state];
  return (
    <div role="alert" className="flex size-full flex-col items-center justify-center gap-3 p-6 text-center">
      <h2 className="text-section font-semibold">{title}</h2>
      <p className="max-w-100 text-table text-muted">{state === "there" && reason !== undefined ? reason : text}</p>
      <div className="flex gap-2">
        <Button onClick={onRetry}>Try again</Button>
        {(state === "disconnected" || state === "unreachable") && <ButtonLink href="/storage">Storage</ButtonLink>}
        {state === "there" && (
          <a href={itemMediaHref(item.uid, "data")} download={item.key.split("/").at(-1)} className={buttonStyles({})}>
            <Download aria-hidden /> Download
          </a>
        )}
      </div>
    </div>
  );
}
