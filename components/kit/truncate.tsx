import { cn } from "./cn";

/** Text on one line, cut at its end; the full text is in the title. */
export function Truncate({ text, className }: { text: string; className?: string }) {
  return (
    <span title={text} className={cn("block min-w-0 truncate", className)}>
      {text}
    </span>
  );
}

/**
 * A path or topic on one line, cut in its middle to fit the space, so that its last part stays readable. A short one is
 * cut at its end: of it both parts would say nothing.
 */
export function TruncateMiddle({ text, tail = 12, className }: { text: string; tail?: number; className?: string }) {
  if (text.length <= tail + 6) return <Truncate text={text} className={className} />;
  const cut = text.length - tail;
  return (
    <span title={text} className={cn("flex min-w-0", className)}>
      {/* Read out as the one word it is. */}
      <span className="sr-only">{text}</span>
      <span aria-hidden className="truncate whitespace-pre">
        {text.slice(0, cut)}
      </span>
      <span aria-hidden className="shrink-0 whitespace-pre">
        {text.slice(cut)}
      </span>
    </span>
  );
}
