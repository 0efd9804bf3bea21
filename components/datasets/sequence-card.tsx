import Link from "next/link";
import { sequenceHref, type DatasetAddress } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { MediaImage } from "@/components/items/viewer/media-image";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import { sequenceStatusLabels } from "@/domain/datasets/sequence-status";

export type Sequence = Outputs["sequences"]["list"]["results"][number];

interface SequenceCardProps {
  dataset: DatasetAddress;
  sequence: Sequence;
  chosen: boolean;
  /** Null for those who may not change any. */
  onChoose: ((chosen: boolean) => void) | null;
}

/** A sequence in a list, which leads to its page. */
export function SequenceCard({ dataset, sequence, chosen, onChoose }: SequenceCardProps) {
  const { uid, key, status } = sequence;
  return (
    <li
      className={cn(
        "flex items-center rounded-panel border",
        chosen && "border-accent bg-selected",
        onChoose !== null && "pl-2",
      )}
    >
      {onChoose && <Checkbox aria-label={`Choose ${key}`} checked={chosen} onCheckedChange={onChoose} />}
      <Link
        href={sequenceHref(dataset, uid)}
        className="flex min-w-0 flex-1 items-center gap-3 rounded-panel p-2 hover:bg-hover"
      >
        <span className="flex h-14 w-20 shrink-0 items-center justify-center overflow-hidden rounded-control bg-hover">
          {sequence.first_item !== null && sequence.has_thumbnail && (
            <MediaImage
              alt=""
              src={itemMediaHref(sequence.first_item, "thumb")}
              loading="lazy"
              className="size-full object-contain"
            />
          )}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-table font-medium">{key}</span>
          <span className="block text-meta text-muted tabular-nums">
            {plural(sequence.frame_count, "frame")}, {plural(sequence.view_count, "view")}
          </span>
          <span className="block text-meta text-subtle" title={status}>
            {sequenceStatusLabels[status]}
          </span>
        </span>
      </Link>
    </li>
  );
}
