import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentWith } from "@/server/platform/env";
import type { Log } from "@/server/platform/log";
import { fatalExitCode } from "@/server/platform/process/fatal-error";

export interface ChildOptions {
  name: string;
  /** Program and arguments. */
  command: [string, ...string[]];
  /** Defaults for variables that are not set in our own environment. */
  environment?: Record<string, string>;
  log: Log;
  /** Receives the messages of the child's IPC channel. */
  onMessage?: (message: unknown) => void;
  /** Called when the child ended with the exit code of a fatal error, which a restart would not fix. */
  onFatal: () => void;
}

export interface Child {
  /** Asks the child to end and waits; kills it after `withinMs`. It is not restarted. */
  stop(withinMs: number): Promise<void>;
  /** Kills the child and does not wait. It is not restarted. */
  kill(): void;
}

const firstDelayMs = 200;
const lastDelayMs = 10_000;
/** A child that ran this long counts as healthy, which resets the restart delay. */
const healthyMs = 30_000;

/** Keeps a program running: restarts it whenever it ends, with growing delays while it ends soon after its start. */
export function keepRunning(options: ChildOptions): Child {
  const { name, log } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const once = (): Promise<number | null> =>
    new Promise((resolve) => {
      const [file, ...args] = options.command;
      const env = environmentWith(options.environment ?? {});
      child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], env });
      child.on("message", (message) => options.onMessage?.(message));
      child.once("error", (error) => {
        log.error({ err: error, child: name }, "could not start");
        resolve(null);
      });
      child.once("exit", (code, signal) => {
        if (!stopping.signal.aborted)
          log.error({ child: name, child_pid: child?.pid, code, signal }, "ended unexpectedly");
        resolve(code);
      });
    });

  const run = async () => {
    let delay = firstDelayMs;
    while (!stopping.signal.aborted) {
      const began = performance.now();
      const code = await once();
      if (code === fatalExitCode) return options.onFatal();
      if (performance.now() - began > healthyMs) delay = firstDelayMs;
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => {});
      delay = Math.min(delay * 2, lastDelayMs);
    }
  };
  const finished = run();

  return {
    async stop(withinMs) {
      stopping.abort();
      child?.kill("SIGTERM");
      const timer = setTimeout(() => {
        log.warn({ child: name }, "did not end in time and is killed");
        child?.kill("SIGKILL");
      }, withinMs);
      await finished;
      clearTimeout(timer);
    },
    kill() {
      stopping.abort();
      child?.kill("SIGKILL");
    },
  };
}
