import { Logger } from "graphile-worker";
import type { Log } from "@/server/platform/log";
import { warnRepeated } from "@/server/platform/repeated-warnings";

/** What is the same in messages of the same kind: they hold ids and counts. */
const toKind = (message: string): string => message.replaceAll(/[0-9a-f]{12,}|\d+/g, "#").slice(0, 120);

/**
 * A logger for graphile-worker that writes its errors and warnings as warnings, of a kind at most one a minute, and
 * everything else at the debug level.
 */
export function graphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error" || level === "warning")
      warnRepeated(log, { from: "graphile-worker" }, message, toKind(message));
    else log.debug({ from: "graphile-worker" }, message);
  });
}
