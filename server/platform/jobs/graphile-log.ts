import { Logger } from "graphile-worker";
import type { Log } from "@/server/platform/log";

/** A logger for graphile-worker that writes its errors and warnings as warnings, everything else at the debug level. */
export function graphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error" || level === "warning") log.warn({ from: "graphile-worker" }, message);
    else log.debug({ from: "graphile-worker" }, message);
  });
}
