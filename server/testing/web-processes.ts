import { bundleProgram, killNow, type LogLine, startProgram } from "@/server/testing/child-program";

/** Separate web processes on the database and the DATA_DIR of the test that started them. */
export interface WebProcesses {
  urls: string[];
  /** Kills one with SIGKILL. Resolves when it has exited. */
  kill: (n: number) => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Starts `count` processes with `environment` added to the test's own. Resolves when they listen. With `onLine`, the
 * lines of their logs go there.
 */
export async function startWebProcesses(
  count: number,
  environment: Record<string, string> = {},
  onLine?: (line: LogLine) => void,
): Promise<WebProcesses> {
  const { file, remove } = await bundleProgram("web-process");
  const start = () => startProgram<{ port: number }>(file, { ROLE: "web", ...environment }, onLine);
  const processes = await Promise.all(Array.from({ length: count }, start));
  const children = processes.map(([child]) => child);
  return {
    urls: processes.map(([, { port }]) => `http://127.0.0.1:${port}`),
    kill: async (n) => {
      const child = children[n];
      if (child) await killNow(child);
    },
    close: async () => {
      await Promise.all(children.map(killNow));
      remove();
    },
  };
}
