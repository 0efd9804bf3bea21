import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { listChildren, freePort, until } from "@/bench/product";
import { findUnreadable, promise } from "@/faults/verdict";
import { readStartTime } from "@/server/platform/process/file-lock.mjs";

/** A process and all its descendants, each with its command. */
const listTree = (pid: number, command: string): { pid: number; command: string }[] => [
  { pid, command },
  ...listChildren(pid).flatMap((child) => listTree(child.pid, child.command)),
];

/** What is wrong with a web process that was asked to stop and accepts requests until then. */
async function whileDraining(origin: string, web: number): Promise<string[]> {
  process.kill(web, "SIGTERM");
  const status = async (at: string) => (await fetch(`${origin}${at}`)).status;
  const failing = until("the failing of /readyz", 30, async () => (await status("/readyz")) === 503);
  const complaint = await failing.then(() => "", String);
  const page = await status("/login").catch(() => 0);
  return [complaint, page === 200 ? "" : `a request was answered with ${page}`].filter(Boolean);
}

/**
 * Starts the product by `npm start`, ends npm by the signal, and returns which of its processes still run. Before npm is
 * killed, its web process is asked to stop.
 */
async function leftBehind(dataDir: string, signal: "SIGTERM" | "SIGKILL"): Promise<string[]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/readyz`;
  const log = fs.openSync(path.join(dataDir, "npm.log"), "a");
  const npm = spawn("npm", ["start"], {
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: "",
      PUBLIC_URL: "",
      ...(signal === "SIGKILL" && { DRAIN_SECONDS: "15" }),
    },
  });
  const ended = once(npm, "exit");
  let tree = listTree(npm.pid ?? 0, "npm");
  const running = () => tree.filter(({ pid }) => readStartTime(pid) !== "");
  try {
    await until("the start by npm", 300, async () => (await fetch(url)).status === 200);
    tree = listTree(npm.pid ?? 0, "npm");
    const parts = ["muster web", "muster worker", "postgres"].filter(
      (part) => !tree.some(({ command }) => command.includes(part)),
    );
    if (parts.length > 0) return [`npm start ran no ${parts.join(", ")}`];
    if (signal === "SIGKILL") {
      const web = tree.find(({ command }) => command.includes("muster web"))?.pid ?? 0;
      promise(
        "a process that drains fails its readiness and accepts requests until then",
        await whileDraining(new URL(url).origin, web),
      );
    }
    npm.kill(signal);
    await ended;
    // On SIGTERM npm waits for its child; killed, it cannot.
    if (signal === "SIGKILL")
      await until("the end after npm", 120, () => Promise.resolve(running().length === 0)).catch(() => {});
    const responses = await fetch(url).then(
      () => [`port ${port} still responds`],
      () => [],
    );
    return [...running().map(({ pid, command }) => `process ${pid} still runs: ${command}`), ...responses];
  } finally {
    for (const { pid } of running()) process.kill(pid, "SIGKILL");
    fs.closeSync(log);
  }
}

/** Checks that all processes of `npm start` end when npm does, by either signal. */
export async function proveStop(): Promise<void> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "muster-stop-"));
  fs.chmodSync(dataDir, 0o711); // else the database, run as another user, would have to be put elsewhere
  try {
    promise(
      "SIGTERM to npm ends web, worker, database and supervisor before npm ends",
      await leftBehind(dataDir, "SIGTERM"),
    );
    promise("they end by themselves when npm is killed", await leftBehind(dataDir, "SIGKILL"));
    promise("every line of their logs is a JSON object", findUnreadable(path.join(dataDir, "npm.log")));
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}
