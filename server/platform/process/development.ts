import path from "node:path";
import { env, localUrl } from "@/server/platform/env";
import type { Commands } from "@/server/platform/process/supervise";

/**
 * What `npm run dev` runs: Next's own server, which shows edits at once and mounts the API, and the worker under tsx,
 * which starts it again on every edit.
 */
export function developmentCommands(main: string): Commands {
  const next = path.resolve("node_modules/next/dist/bin/next");
  const tsx = path.resolve("node_modules/tsx/dist/cli.mjs");
  return {
    web: [process.execPath, next, "dev", "--port", String(env.PORT), "--hostname", env.HOST],
    worker: [process.execPath, tsx, "watch", "--clear-screen=false", main, "--role", "worker"],
  };
}

/** Whether Next answers at all; it has no /readyz of its own. */
export async function answersPages(): Promise<boolean> {
  try {
    const response = await fetch(localUrl(), { signal: AbortSignal.timeout(60_000), redirect: "manual" });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
