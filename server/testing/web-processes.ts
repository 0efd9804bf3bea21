import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** Separate web processes on the database and the DATA_DIR of the test that started them. */
export interface WebProcesses {
  urls: string[];
  /** Kills one with SIGKILL. Resolves when it has exited. */
  kill: (n: number) => Promise<void>;
  close: () => Promise<void>;
}

async function bundleProgram(): Promise<string> {
  const outdir = fs.mkdtempSync(path.resolve(".test/web-process-"));
  await build({
    entryPoints: ["server/testing/web-process.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  return outdir;
}

async function startProcess(bundle: string, environment: Record<string, string>): Promise<[ChildProcess, string]> {
  const env = { ...process.env, ROLE: "web", ...environment };
  const child = fork(path.join(bundle, "web-process.mjs"), { execArgv: [], env });
  const [message] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [{ port?: number } | number];
  if (typeof message !== "object" || message.port === undefined) {
    throw new Error(`the process ended with ${String(message)}`);
  }
  return [child, `http://127.0.0.1:${message.port}`];
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Starts `count` processes with `environment` added to the test's own. Resolves when they listen. */
export async function startWebProcesses(
  count: number,
  environment: Record<string, string> = {},
): Promise<WebProcesses> {
  const bundle = await bundleProgram();
  const processes = await Promise.all(Array.from({ length: count }, () => startProcess(bundle, environment)));
  const children = processes.map(([child]) => child);
  return {
    urls: processes.map(([, url]) => url),
    kill: async (n) => {
      const child = children[n];
      if (child) await kill(child);
    },
    close: async () => {
      await Promise.all(children.map(kill));
      fs.rmSync(bundle, { recursive: true, force: true });
    },
  };
}
