import type { ReactNode } from "react";
import { cn } from "./cn";
import { Shape } from "./shape";

export interface WaitingProps {
  /** Turns the mark green and swaps the text. */
  done: boolean;
  waiting: ReactNode;
  arrived: ReactNode;
  /** A second line: how long it has waited, what to check. */
  hint?: ReactNode;
  className?: string;
}

/** Shows that something is expected, such as a device's first heartbeat; announced when it arrives. */
export function Waiting({ done, waiting, arrived, hint, className }: WaitingProps) {
  return (
    <div
      role="status"
      className={cn(
        "flex items-start gap-2.5 rounded-panel border px-3 py-2 text-table transition-colors",
        done ? "border-online" : "border-border",
        className,
      )}
    >
      <span className={cn("relative flex h-5 w-2.5 items-center", done ? "text-online" : "text-accent")}>
        <Shape name={done ? "disc" : "ring"} className={done ? undefined : "animate-pulse"} />
      </span>
      <span className="min-w-0 flex-1">
        <span className={cn("block", done && "font-medium text-online-text")}>{done ? arrived : waiting}</span>
        {hint !== undefined && <span className="block text-meta text-subtle">{hint}</span>}
      </span>
    </div>
  );
}
