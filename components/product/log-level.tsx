import { cn } from "@/components/kit/cn";
import type { LogLevel } from "@/engine/messages/texts/log-line";

/** Letters and colours of levels; the letter says it without the colour. */
const looks: Record<LogLevel, { letter: string; className: string }> = {
  debug: { letter: "D", className: "text-subtle" },
  info: { letter: "I", className: "text-muted" },
  warning: { letter: "W", className: "text-warning-text" },
  error: { letter: "E", className: "text-critical-text" },
  fatal: { letter: "F", className: "text-critical-text font-semibold" },
};

/** The level of a log line as one letter; null for one that is not known. */
export function LogLevelMark({ level }: { level: LogLevel | null }) {
  return (
    <span className={cn("shrink-0", level && looks[level].className)} title={level ?? "unknown level"}>
      {level ? looks[level].letter : "?"}
      <span className="sr-only"> {level ?? "unknown level"}</span>
    </span>
  );
}
