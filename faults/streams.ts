import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import { promise } from "@/faults/verdict";

const reopenMs = 2_000;
const pollMs = 20;
/** Seconds within which a change has to reach every stream. */
const changeLimit = 40;

interface Stream {
  isOpen: boolean;
  /** How often it was open and ended. */
  ended: number;
  lastId: string;
  /** Objects whose change was received. */
  uids: Set<string>;
  /** Number of requests to fetch everything again. */
  resets: number;
}

export interface Streams {
  list: readonly Stream[];
  close: () => Promise<void>;
}

/** Reads an open stream until it ends, as a browser does. */
async function read(stream: Stream, body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const fields = new Map(
        event
          .split("\n")
          .map((line): [string, string] => [
            line.slice(0, line.indexOf(":")),
            line.slice(line.indexOf(":") + 1).trim(),
          ]),
      );
      stream.lastId = fields.get("id") ?? stream.lastId;
      if (fields.get("event") === "reset") stream.resets++;
      if (fields.has("event")) continue;
      const { uid } = JSON.parse(fields.get("data") ?? "{}") as { uid?: string };
      if (uid) stream.uids.add(uid);
    }
  }
}

/**
 * Opens event streams of a signed-in person. One that ends is opened again and resumed; one that only becomes silent
 * is not, so that it is found out.
 */
export function openStreams({ url }: Product, cookie: string, count: number): Streams {
  const ending = new AbortController();
  const follow = async (stream: Stream) => {
    while (!ending.signal.aborted) {
      try {
        const response = await fetch(`${url}/api/changes`, {
          headers: { cookie, accept: "text/event-stream", ...(stream.lastId && { "last-event-id": stream.lastId }) },
          signal: ending.signal,
        });
        if (response.status === 200 && response.body) {
          stream.isOpen = true;
          await read(stream, response.body);
        } else await response.body?.cancel();
      } catch {
        // It was cut off.
      }
      if (stream.isOpen) stream.ended++;
      stream.isOpen = false;
      await sleep(reopenMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const list = Array.from({ length: count }, (): Stream => {
    return { isOpen: false, ended: 0, lastId: "", uids: new Set(), resets: 0 };
  });
  const following = list.map(follow);
  return {
    list,
    close: async () => {
      ending.abort();
      await Promise.all(following);
    },
  };
}

/** Creates a device, repeatedly while that is refused. Resolves to its uid. */
async function change(product: Product, name: string): Promise<string> {
  for (const end = performance.now() + changeLimit * 1_000; ; await sleep(200)) {
    try {
      return (await product.call<{ uid: string }>("POST", "/fleet/devices/", { name })).uid;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** Checks that a change made now reaches every stream; `orReset`: or the request to fetch everything again does. */
export async function proveStreams(product: Product, { list }: Streams, label: string, orReset: boolean) {
  const resets = list.map((stream) => stream.resets);
  const uid = await change(product, `after ${label}`);
  const made = performance.now();
  const seconds = () => (performance.now() - made) / 1_000;
  const isMissing = (stream: Stream, at: number) =>
    !stream.uids.has(uid) && !(orReset && stream.resets > (resets[at] ?? 0));
  while (seconds() < changeLimit && list.some(isMissing)) await sleep(pollMs);
  const ended = list.reduce((sum, stream) => sum + stream.ended, 0);
  promise(
    `a change made ${label} reached all ${list.length} event streams within ${changeLimit} s: after ${seconds().toFixed(1)} s; ` +
      `streams ended ${ended} times so far`,
    list.filter(isMissing).map(({ isOpen }) => (isOpen ? "an open stream never received it" : "a stream is not open")),
  );
}
