import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { processId } from "@/server/platform/process-id";

const log = logFor("watchdog");

/** When a process is ended, in milliseconds. */
export interface WatchdogLimits {
  /** So long its main thread has not answered, */
  silentMs: number;
  /** and the process has used so much processor time meanwhile. A suspended or starved one has not. */
  cpuMs: number;
  /** How often is looked. */
  lookMs: number;
}

const defaultLimits: WatchdogLimits = { silentMs: 60_000, cpuMs: 20_000, lookMs: 1_000 };

/** A request to the port of the probes. */
export interface Probe {
  method: string;
  /** Without its query. */
  path: string;
  authorization: string | undefined;
}

export interface ProbeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Watched {
  role: "web" | "worker";
  /** Where the probes are served; null for nowhere. */
  listen: { port: number; host: string } | null;
  /** Answers them while the main thread can. */
  answer: (probe: Probe) => Promise<ProbeAnswer>;
  limits?: WatchdogLimits | undefined;
}

export interface Watchdog {
  /** The port of the probes. */
  port: number | null;
  stop: () => void;
}

type Message = { id: number; probe: Probe } | { address: AddressInfo | null } | { refused: string };

/**
 * Serves the probes from a thread of its own, which also ends this process when its main thread does not answer: by
 * SIGKILL, after noting it in `deaf_processes`. Rejects when the port cannot be used.
 */
export async function startWatchdog({ role, listen, answer, limits = defaultLimits }: Watched): Promise<Watchdog> {
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL("./watchdog-thread.mjs", import.meta.url), {
    workerData: {
      ...{ answers, limits, listen, role, processId: processId(), connectionString: env.DATABASE_URL },
      logs: env.LOG_LEVEL !== "silent",
    },
    execArgv: [],
  });
  const timer = setInterval(() => Atomics.add(answers, 0, 1), limits.lookMs / 2);
  const stop = () => {
    clearInterval(timer);
    void thread.terminate();
  };
  const respond = async (id: number, probe: Probe): Promise<void> => {
    const given = await answer(probe).catch((error: unknown) => {
      log.error({ err: error, path: probe.path }, "request failed");
      return null;
    });
    thread.postMessage({ id, answer: given });
  };
  try {
    const port = await new Promise<number | null>((resolve, reject) => {
      thread.once("error", reject);
      thread.on("message", (message: Message) => {
        if ("probe" in message) void respond(message.id, message.probe);
        else if ("refused" in message) reject(new Error(message.refused));
        else resolve(message.address?.port ?? null);
      });
    });
    timer.unref();
    thread.unref();
    // Without it nobody would notice, and the probes would not be served: the process is started again.
    thread.on("error", (error) => {
      throw error;
    });
    return { port, stop };
  } catch (error) {
    stop();
    throw error;
  }
}
