import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { freePort, until } from "@/bench/product";

const root = path.resolve(import.meta.dirname, "..");

export interface RunningProcess {
  child: ChildProcess;
  /** Where a web process responds. */
  url: string;
  /** Ends it by the signal. Resolves when it has exited. */
  end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/** Starts processes of the built product in a role; those that serve are ready when this resolves. */
export async function startProcess(
  role: "all" | "web" | "worker",
  environment: Record<string, string>,
  log: string,
): Promise<RunningProcess> {
  const port = await freePort();
  const output = fs.openSync(log, "a");
  const child = spawn(process.execPath, ["dist/main.mjs", "--role", role], {
    cwd: root,
    stdio: ["ignore", output, output],
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_URL: "",
      LOG_LEVEL: "warn",
      EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      ...environment,
    },
  });
  fs.closeSync(output);
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://127.0.0.1:${port}`;
  if (role !== "worker") {
    await until(`the start of ${role}`, 120, async () => isOver() || (await fetch(`${url}/readyz`)).status === 200);
    if (isOver()) throw new Error(`${role} ended with ${child.exitCode}. Its log is ${log}.`);
  }
  return {
    child,
    url,
    end: async (signal) => {
      if (isOver()) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
  };
}
