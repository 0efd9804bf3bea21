"use client";

import { CircleAlert, RotateCw } from "lucide-react";
import { Button } from "./button";
import { cn } from "./cn";
import type { PartFailure } from "./part-loading";
import { reloadPage } from "./typed-texts";

const texts = {
  missing: "This part could not be loaded.",
  gone: "Muster was updated, and this part is of the version before. What you typed is kept.",
};

export const describeFailure = ({ isGone }: PartFailure): string => (isGone ? texts.gone : texts.missing);

export interface FailedPartProps {
  failure: PartFailure;
  isTrying: boolean;
  onRetry: () => void;
}

/** The way on from a part that is missing: another try, or the page anew where that cannot help. */
export function FailedPartButton({ failure, isTrying, onRetry }: FailedPartProps) {
  if (failure.isGone) return <Button onClick={reloadPage}>Reload</Button>;
  return (
    <Button icon={<RotateCw aria-hidden />} busy={isTrying} onClick={onRetry}>
      Try again
    </Button>
  );
}

/** Stands in the place of a part that could not be loaded; `className` and `height` are the size of the part. */
export function FailedPart(props: FailedPartProps & { className?: string; height?: number }) {
  const { failure, className = "size-full min-h-24", height } = props;
  return (
    <div
      role="alert"
      style={height === undefined ? undefined : { height }}
      className={cn(
        "flex flex-col items-center justify-center gap-2 overflow-auto rounded-panel border border-dashed p-3 text-center",
        "text-table text-muted",
        height === undefined && className,
      )}
    >
      <p className="flex items-center gap-1.5">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-critical" strokeWidth={1.5} />
        {describeFailure(failure)}
      </p>
      <FailedPartButton {...props} />
    </div>
  );
}
