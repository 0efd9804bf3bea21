import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";

const program = path.resolve(import.meta.dirname, "../dist/cli.mjs");

export interface MusterRun {
  child: ChildProcess;
  /** Its exit code, null when a signal ended it, and all that it printed. */
  ended: Promise<{ code: number | null; text: string }>;
}

/** Starts a command of the built command line; `replace` is typed when it asks. */
export function startMuster(args: string[], environment: Record<string, string>): MusterRun {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, NODE_ENV: "production", LOG_LEVEL: "warn", DATABASE_URL: "", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {}); // the process may end before it has read the input
  child.stdin.end("replace\n");
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<{ code: number | null; text: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, text: Buffer.concat(chunks).toString() }));
  });
  return { child, ended };
}

export const runMuster = (
  args: string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; text: string }> => startMuster(args, environment).ended;

/** A complaint when a command ended with another code, or did not print each of the texts. */
export const complain = (
  what: string,
  { code, text }: { code: number | null; text: string },
  wanted: { code: number; texts: readonly string[] },
): string[] => [
  ...(code === wanted.code ? [] : [`${what} ended with ${code}: ${text.slice(-500)}`]),
  ...wanted.texts
    .filter((each) => !text.includes(each))
    .map((each) => `${what} did not say "${each}": ${text.slice(-500)}`),
];
