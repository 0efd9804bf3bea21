import path from "node:path";
import { env, localUrl } from "@/server/platform/env";
import type { Commands } from "@/server/platform/process/supervise";

/**
 * The commands of `npm run dev`: Next's development server, which also serves the API, and the worker under tsx, which
 * restarts it on every edit.
 */
export function developmentCommands(main: string): Commands {
  const next = path.resolve("node_modules/next/dist/bin/next");
  const tsx = path.resolve("node_modules/tsx/dist/cli.mjs");
  return {
    web: [process.execPath, next, "dev", "--port", String(env.PORT), "--hostname", env.HOST],
    worker: [process.execPath, tsx, "watch", "--clear-screen=false", main, "--role", "worker"],
  };
}

/** Whether Next's development server, which has no /readyz, responds. */
export async function servesPages(): Promise<boolean> {
  try {
    const response = await fetch(localUrl(), { signal: AbortSignal.timeout(60_000), redirect: "manual" });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
