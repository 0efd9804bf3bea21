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

/** How many more there are, with their names in the title. */
function More({ tags, className }: { tags: readonly string[]; className?: string }) {
  return (
    <span className={cn("shrink-0 text-meta text-subtle", className)} title={tags.join(", ")}>
      +{tags.length}
      <span className="sr-only"> more: {tags.join(", ")}</span>
    </span>
  );
}

/** Several tags, on several lines where one is too narrow; those beyond `max` are counted, with their names in the title. */
export function Tags({ tags, max = 3 }: { tags: readonly string[]; max?: number }) {
  if (tags.length === 0) return <None />;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1">
      {tags.slice(0, max).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {tags.length > max && <More tags={tags.slice(max)} />}
    </span>
  );
}

/** The tags of a table's cell: where the column is narrow the first of them, readable, and how many more there are. */
export function TagsCell({ tags, max = 2 }: { tags: readonly string[]; max?: number }) {
  const [first, ...others] = tags;
  if (first === undefined) return <None />;
  const hidden = tags.slice(max);
  return (
    <span className="@container/tags block">
      <span className="flex min-w-0 items-center gap-1">
        <Badge>{first}</Badge>
        {others.slice(0, max - 1).map((tag) => (
          <Badge key={tag} className="hidden @min-[9rem]/tags:inline-flex">
            {tag}
          </Badge>
        ))}
        {others.length > 0 && <More tags={others} className="@min-[9rem]/tags:hidden" />}
        {hidden.length > 0 && <More tags={hidden} className="hidden @min-[9rem]/tags:inline" />}
      </span>
    </span>
  );
}

/** The same as `TagsCell` shows, as text to measure a column by; blanks stand for borders. */
export const tagsText = (tags: readonly string[], max = 3): string =>
  tags
    .slice(0, max)
    .map((tag) => `${tag}   `)
    .join("") + (tags.length > max ? "+10" : "");
