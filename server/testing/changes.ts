import { expect, vi } from "vitest";
import { lastChangeId, listenForChanges } from "@/server/platform/realtime/changes";
import { sessionCookie, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { fetchApp } from "@/server/testing/requests";

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

interface Reported {
  id: string | null;
  event: string;
  data: unknown;
}

/** The stream of changes of a person's browser, by default the owner's, with the events received so far. */
export async function openChanges(
  organization: TestOrganization,
  lastId?: string,
  query = "",
  person: TestMember = organization.owner,
) {
  const disconnect = new AbortController();
  const response = await fetchApp(`/api/changes${query}`, {
    headers: {
      cookie: await sessionCookie(person, { slug: organization.slug }),
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
    signal: disconnect.signal,
  });
  expect([response.status, Object.fromEntries(response.headers)]).toEqual([
    200,
    expect.objectContaining({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    }),
  ]);
  const reported: Reported[] = [];
  const state = { ended: false };
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (let text = ""; ;) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      if (done) return void (state.ended = true);
      text += value ?? "";
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        const data = field("data");
        if (data !== undefined)
          reported.push({ id: field("id") ?? null, event: field("event") ?? "message", data: JSON.parse(data) });
      }
    }
  })();
  const until = (ready: (reported: Reported[]) => boolean) =>
    vi.waitFor(() => expect(reported).toSatisfy(ready), { timeout: 15_000, interval: 5 });
  // Changes before its first event are not a new stream's.
  if (lastId === undefined) await until(() => reported.length > 0);
  return {
    reported,
    state,
    changes: () => reported.filter(({ event }) => event === "message").map(({ data }) => (data as { uid: string }).uid),
    until,
    close: () => {
      disconnect.abort();
      return reader.cancel();
    },
  };
}
