import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

/** Threads of the product, which are files of their own beside a program. */
const threads = {
  "heartbeat-thread": "server/platform/jobs/heartbeat-thread.mjs",
  "watchdog-thread": "server/platform/process/watchdog-thread.mjs",
};

/** Bundles a program of `server/testing` so that processes can run it. `remove` deletes the bundle. */
export async function bundleProgram(name: string): Promise<{ file: string; remove: () => void }> {
  const outdir = fs.mkdtempSync(path.resolve(`.test/${name}-`));
  await build({
    entryPoints: { [name]: `server/testing/${name}.ts`, ...threads },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  return { file: path.join(outdir, `${name}.mjs`), remove: () => fs.rmSync(outdir, { recursive: true, force: true }) };
}

/** A line of a program's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/**
 * Starts a bundled program with `environment` added to the test's own. Resolves with its first message. With `onLine`,
 * the lines of its log go there instead of to the output of the test.
 */
export async function startProgram<Message extends object>(
  file: string,
  environment: Record<string, string>,
  onLine?: (line: LogLine) => void,
): Promise<[ChildProcess, Message]> {
  const child = fork(file, { execArgv: [], env: { ...process.env, ...environment }, silent: onLine !== undefined });
  if (child.stdout && onLine) {
    createInterface(child.stdout).on("line", (line) => onLine(JSON.parse(line) as LogLine));
  }
  const [message] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [Message | number | null];
  if (typeof message !== "object" || message === null) throw new Error(`the process ended with ${String(message)}`);
  return [child, message];
}

/** Kills a process with SIGKILL. Resolves when it has exited. */
export async function killNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
