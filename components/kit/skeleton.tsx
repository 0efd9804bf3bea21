import { cn } from "./cn";

/** A grey block in the place of what is loading; it appears after 150 ms, so that quick responses never flicker. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cn("block animate-late", className)}>
      <span className="block h-full min-h-3 w-full animate-pulse rounded-control bg-border" />
    </span>
  );
}

/** Several lines of text still to come. */
export function SkeletonText({ lines = 3, className }: { lines?: number; className?: string }) {
  return (
    <span role="status" className={cn("block space-y-2", className)}>
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <Skeleton key={at} className={at === lines - 1 ? "h-3 w-2/3" : "h-3 w-full"} />
      ))}
    </span>
  );
}
