import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentWith } from "@/server/platform/env";
import type { Log } from "@/server/platform/log";
import { fatalExitCode } from "@/server/platform/process/fatal-error";

export interface ChildOptions {
  name: string;
  /** Program and arguments. */
  command: [string, ...string[]];
  /** Variables that it gets unless we have them set already. */
  environment?: Record<string, string>;
  log: Log;
  /** Told what the child reports over its channel. */
  onMessage?: (message: unknown) => void;
  /** The child ended for a reason that starting it again would not mend. */
  onFatal: () => void;
}

export interface Child {
  /** Asks the child to end and waits; kills it when it has not after `withinMs`. It is not started again. */
  stop(withinMs: number): Promise<void>;
  /** Kills the child and does not wait. It is not started again. */
  kill(): void;
}

const firstDelayMs = 200;
const lastDelayMs = 10_000;
/** A child that lived this long has recovered from what it died of before. */
const soundMs = 30_000;

/** Keeps a program running: starts it, and again whenever it ends, ever more slowly while it ends soon. */
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
      if (performance.now() - began > soundMs) delay = firstDelayMs;
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
