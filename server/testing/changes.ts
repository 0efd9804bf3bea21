import { expect, vi } from "vitest";
import { lastChangeId, listenForChanges } from "@/server/platform/realtime/changes";

/** Listens for changes as a web process does; resolves, once none can be missed, to a function that stops it. */
export async function startListening(): Promise<() => Promise<void>> {
  // The changes that an earlier test received are still there.
  const before = lastChangeId();
  const stop = listenForChanges();
  await vi.waitFor(
    () => {
      expect(lastChangeId()).not.toBeNull();
      expect(lastChangeId()).not.toBe(before);
    },
    { timeout: 15_000 },
  );
  return stop;
}
