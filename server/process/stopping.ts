import { processWide } from "@/server/process-wide";

const controller = () => processWide("stopping", () => new AbortController());

/**
 * Aborted when this process was told to stop. What would otherwise last forever, such as a stream of changes, ends on it; a
 * request under way is left to finish.
 */
export const stoppingSignal = (): AbortSignal => controller().signal;

/** Whether this process was told to stop. */
export const isStopping = (): boolean => controller().signal.aborted;

/**
 * Calls `stop` once when the process is told to end: by SIGTERM or SIGINT, or, in a process that a supervisor started, by the
 * supervisor's death, for then nobody would restart or end it. Ends the process afterwards, at the latest after `limitMs`.
 */
export function onStop(stop: (orphaned: boolean) => Promise<void>, limitMs: number): void {
  let stopped = false;
  const begin = (orphaned: boolean) => {
    if (stopped) return;
    stopped = true;
    controller().abort();
    setTimeout(() => process.exit(1), orphaned ? 3_000 : limitMs).unref();
    stop(orphaned).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", () => begin(false));
  process.on("SIGINT", () => begin(false));
  if (process.connected) process.once("disconnect", () => begin(true));
}
