import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  out: string;
  err: string;
}

export interface Run {
  child: ChildProcess;
  ended: Promise<Ended>;
}

export interface CommandLine {
  /** Starts a command as a separate process, by default on this worker's database, with `input` piped in. */
  start: (args: string[], options?: { env?: Record<string, string>; cwd?: string; input?: string }) => Run;
  close: () => void;
}

/** Bundles programs for Node into a folder, one `<name>.mjs` each, as an installation has them. */
export async function bundlePrograms(entryPoints: string[], folder: string): Promise<void> {
  await build({
    entryPoints,
    entryNames: "[name]",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
}

/** Bundles the command line as an installation has it; the bundle starts several times as fast as the sources. */
export async function bundledCommandLine(): Promise<CommandLine> {
  fs.mkdirSync(".test", { recursive: true });
  const bundle = fs.mkdtempSync(path.resolve(".test/cli-"));
  await bundlePrograms(["cli/main.ts"], bundle);
  return {
    start: (args, { env = {}, cwd, input = "" } = {}) => {
      // A command ends before optimized code would pay.
      const child = spawn(process.execPath, ["--no-opt", path.join(bundle, "main.mjs"), ...args], {
        env: { ...process.env, NODE_ENV: "production", LOG_LEVEL: "warn", ...env },
        cwd,
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.stdin.on("error", () => {}); // the process may end before it has read the input
      child.stdin.end(input);
      const chunks: Record<"out" | "err", Buffer[]> = { out: [], err: [] };
      child.stdout.on("data", (chunk: Buffer) => chunks.out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => chunks.err.push(chunk));
      const ended = new Promise<Ended>((resolve) => {
        child.on("close", (code) =>
          resolve({ code, out: Buffer.concat(chunks.out).toString(), err: Buffer.concat(chunks.err).toString() }),
        );
      });
      return { child, ended };
    },
    close: () => fs.rmSync(bundle, { recursive: true, force: true }),
  };
}
