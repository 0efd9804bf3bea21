import type { Env } from "@/server/platform/env";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

/** Runs `act` with changed settings, which meanwhile apply to the entire process. */
export async function underSettings<T>(changes: Partial<Env>, act: () => Promise<T>): Promise<T> {
  const before = { ...env };
  const settings = processWide("env", () => before);
  Object.assign(settings, changes);
  try {
    return await act();
  } finally {
    // A setting that was not there is undefined again, too.
    const none = Object.fromEntries(Object.keys(changes).map((name) => [name, undefined]));
    Object.assign(settings, none, before);
  }
}
