import type { ReactNode } from "react";
import { cn } from "./cn";
import { None } from "./none";

export interface BadgeProps {
  children: ReactNode;
  /** For identifiers and versions. */
  mono?: boolean;
  className?: string;
}

/** A small quiet label: a tag, a type, a version. Never a state; for those use `Status`. */
export function Badge({ children, mono = false, className }: BadgeProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 max-w-full min-w-0 items-center rounded-control border bg-background px-1.5 text-meta text-muted",
        mono && "font-mono",
        className,
      )}
    >
      <span className="truncate">{children}</span>
    </span>
  );
}

/** Several tags in one line; those beyond `max` are counted, with their names in the title. */
export function Tags({ tags, max = 3 }: { tags: readonly string[]; max?: number }) {
  if (tags.length === 0) return <None />;
  const rest = tags.slice(max);
  return (
    <span className="flex min-w-0 items-center gap-1">
      {tags.slice(0, max).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {rest.length > 0 && (
        <span className="shrink-0 text-meta text-subtle" title={rest.join(", ")}>
          +{rest.length}
          <span className="sr-only"> more: {rest.join(", ")}</span>
        </span>
      )}
    </span>
  );
}

/** The same as `Tags` shows, as text to measure a column by; blanks stand for borders. */
export const tagsText = (tags: readonly string[], max = 3): string =>
  tags
    .slice(0, max)
    .map((tag) => `${tag}   `)
    .join("") + (tags.length > max ? "+10" : "");
