"use client";

import { Check, Copy } from "lucide-react";
import { cn } from "@/components/kit/cn";
import { useCopy } from "@/components/kit/copy-button";
import { truncateMiddle } from "@/components/kit/format";
import { Tooltip } from "@/components/kit/tooltip";

export interface UidChipProps {
  uid: string;
  /** Characters shown before the middle is cut out; default 13. */
  max?: number;
  className?: string;
}

/** An identifier in mono with its middle cut out; a press copies the full one, the tooltip shows it. */
export function UidChip({ uid, max = 13, className }: UidChipProps) {
  const { copied, copy } = useCopy();
  return (
    <Tooltip content={copied ? "Copied" : uid}>
      <button
        type="button"
        onClick={() => void copy(uid)}
        className={cn(
          "group/uid relative inline-flex h-5 items-center rounded-control px-1 -mx-1 font-mono text-meta whitespace-nowrap text-muted transition-colors hover:bg-hover hover:text-foreground",
          className,
        )}
      >
        <span aria-hidden>{truncateMiddle(uid, max)}</span>
        <span className="sr-only">Copy {uid}</span>
        {copied ? (
          <Check aria-hidden className="absolute left-full size-3 text-online-text" />
        ) : (
          <Copy
            aria-hidden
            className="absolute left-full size-3 opacity-0 group-hover/uid:opacity-100 group-focus-visible/uid:opacity-100"
          />
        )}
      </button>
    </Tooltip>
  );
}
