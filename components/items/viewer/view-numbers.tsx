"use client";

import Link from "next/link";
import { sequenceHref, type DatasetAddress } from "@/components/items/item-links";
import type { ViewedItem } from "@/components/items/item-type";
import { formatBytes } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { RelativeTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import type { MediaKind } from "@/domain/items/viewer-schema";

/** What the file of an item is, as pages say it. */
const mediaNames: Readonly<Record<MediaKind, string>> = {
  image: "Picture",
  video: "Video",
  points: "Point cloud",
  recording: "Recording",
  other: "File",
};

/** What Muster itself knows of an item. */
export function ViewNumbers({ dataset, item }: { dataset: DatasetAddress; item: ViewedItem }) {
  return (
    <KeyValue
      className="mt-3"
      items={[
        ["Size", formatBytes(Number(item.size_bytes))],
        ["Type", `${mediaNames[item.media]}, ${item.media_type}`],
        ["Added", <RelativeTime key="added" value={item.created_at} rich={false} />],
        ["By", item.added_by],
        ...(item.sequence_uid === null
          ? []
          : [
              [
                "Sequence",
                <Link
                  key="sequence"
                  href={sequenceHref(dataset, item.sequence_uid, item.frame ?? 0)}
                  className="rounded-control text-accent-text hover:underline"
                >
                  {item.sequence_key}, frame {item.frame ?? 0}
                </Link>,
              ] as const,
            ]),
        ["Uid", <UidChip key="uid" uid={item.uid} />],
      ]}
    />
  );
}
