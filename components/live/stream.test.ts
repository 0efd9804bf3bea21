import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listen } from "@/components/live/stream";

/** The browser's EventSource, of which the test decides what it receives. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readyState = 1;
  onmessage: ((event: MessageEvent<string>) => void) | null = null;

  constructor(readonly url: string) {
    super();
    Source.all.push(this);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  receive(type: string, data: unknown, lastEventId: string): void {
    const event = new MessageEvent<string>(type, { data: JSON.stringify(data), lastEventId });
    if (type === "message") this.onmessage?.(event);
    else this.dispatchEvent(event);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  Source.all = [];
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** What a tab of a browser without SharedWorker is notified of. */
function start() {
  const notices: unknown[] = [];
  const stop = listen("org", {
    onChange: ({ uid }) => void notices.push(uid),
    onOpen: (missed) => void notices.push(missed ? "missed" : "open"),
    onStale: (since) => void notices.push(since === null ? "fresh" : "stale"),
  });
  return { notices, stop };
}

test("without SharedWorker, a silent stream is replaced by one that continues after the last event", () => {
  const { notices, stop } = start();
  Source.all[0]?.receive("begin", "new", "c1");
  Source.all[0]?.receive("message", { kind: "device", uid: "d1", action: "updated" }, "c2");
  vi.advanceTimersByTime(29_000);
  expect([notices, Source.all.length]).toEqual([["open", "d1"], 1]);
  vi.advanceTimersByTime(2_000);
  expect(notices.at(-1)).toBe("stale");
  expect(Source.all.map(({ url, readyState }) => [url, readyState])).toEqual([
    ["/api/changes?age=0", 2],
    ["/api/changes?last_event_id=c2", 1],
  ]);
  vi.advanceTimersByTime(11_000);
  expect(Source.all).toHaveLength(3);
  Source.all[2]?.receive("begin", "resumed", "c2");
  expect(notices.slice(-2)).toEqual(["fresh", "open"]);
  vi.advanceTimersByTime(20_000);
  expect(Source.all).toHaveLength(3);
  stop();
  vi.advanceTimersByTime(100_000);
  expect(Source.all).toHaveLength(3);
});

test("without SharedWorker, a stream that the server refused is opened again", () => {
  const { stop } = start();
  Source.all[0]?.close();
  vi.advanceTimersByTime(9_000);
  expect(Source.all).toHaveLength(1);
  vi.advanceTimersByTime(2_000);
  expect(Source.all).toHaveLength(2);
  stop();
});
