import { processWide } from "@/server/platform/process-wide";

const controller = () => processWide("stopping", () => new AbortController());

/** Whether this process is stopping. */
export const isStopping = (): boolean => controller().signal.aborted;

/** SIGHUP is sent when the terminal is closed. */
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Signals closer together are one request: Ctrl-C and a signal to the process group reach this process and npm, which
 * forwards it to this process again.
 */
const sameRequestMs = 2_000;

/** How long a process may go on stopping after its supervisor has died. */
const orphanMs = 3_000;

/** Calls `stop` at the first SIGTERM, SIGINT or SIGHUP, and `stopNow` at any that follows more than 2 s later. */
export function onStopSignal(stop: (signal: string) => void, stopNow: (signal: string) => void): void {
  let requestedAt: number | undefined;
  const onSignal = (signal: string) => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      stop(signal);
    } else if (performance.now() - requestedAt > sameRequestMs) {
      stopNow(signal);
    }
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
}

/**
 * Calls `stop` once, at SIGTERM, SIGINT or SIGHUP or, under a supervisor, when the supervisor dies (`orphaned`). Then
 * ends the process, at the latest after `limitMs`, or at a second signal unless a supervisor handles that.
 */
export function onStop(stop: (orphaned: boolean) => Promise<void>, limitMs: number): void {
  let stopped = false;
  const begin = (orphaned: boolean) => {
    // Also while it stops: without a supervisor nobody waits for the rest.
    if (orphaned) setTimeout(() => process.exit(1), orphanMs).unref();
    if (stopped) return;
    stopped = true;
    controller().abort();
    setTimeout(() => process.exit(1), limitMs).unref();
    stop(orphaned).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const supervised = process.connected;
  onStopSignal(
    () => begin(false),
    () => {
      if (!supervised) process.exit(1);
    },
  );
  if (supervised) process.once("disconnect", () => begin(true));
}
