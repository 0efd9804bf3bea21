import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { beforeEach, expect, test, vi } from "vitest";

/** The browser's EventSource, of which the test decides what it receives. */
class Source {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readyState = 0;
  onmessage: (event: object) => void = () => {};
  onerror: () => void = () => {};
  private readonly listeners = new Map<string, (event: object) => void>();

  constructor(readonly url: string) {
    Source.all.push(this);
  }
  addEventListener(type: string, listener: (event: object) => void): void {
    this.listeners.set(type, listener);
  }
  close(): void {
    this.readyState = Source.CLOSED;
  }
  begin(): void {
    this.readyState = Source.OPEN;
    this.listeners.get("begin")?.({ data: '"new"', lastEventId: "c0" });
  }
  reset(): void {
    this.listeners.get("reset")?.({ data: '"reset"', lastEventId: "c9" });
  }
  change(uid: string): void {
    this.onmessage({ data: uid, lastEventId: uid });
  }
}

type Port = { onmessage: (event: { data: unknown }) => void; postMessage: (message: object) => void };
interface WorkerScope {
  onconnect: (event: { ports: [Port] }) => void;
}

let now = 0;
let scope: WorkerScope;
beforeEach(() => {
  now = 1_000_000;
  Source.all = [];
  const self = {} as WorkerScope;
  const clock = { now: () => now };
  const timers = { setInterval: vi.fn(), setTimeout: vi.fn(), clearTimeout: vi.fn() };
  const context = createContext({ self, EventSource: Source, Date: clock, ...timers });
  runInContext(readFileSync("public/changes-worker.js", "utf8"), context);
  scope = self;
});

/** A tab whose page was requested `age` milliseconds ago, with what it is notified of. */
function openTab(age: number) {
  const notices: unknown[] = [];
  const port: Port = { onmessage: () => {}, postMessage: (message) => void notices.push(Object.values(message)[0]) };
  scope.onconnect({ ports: [port] });
  port.onmessage({ data: { age } });
  return { notices, leave: () => port.onmessage({ data: "leave" }) };
}

test("a browser's first tab receives what changed since its page was requested", () => {
  const { notices } = openTab(300);
  const [source] = Source.all;
  expect(source?.url).toBe("/api/changes?age=300");
  source?.change("d1");
  source?.begin();
  expect(notices).toEqual(["d1", false]);
});

test("a tab that joins receives the changes since its page was requested, once", () => {
  const first = openTab(300);
  const [source] = Source.all;
  source?.begin();
  source?.change("d1");
  now += 5_000;
  source?.change("d2");
  now += 100;
  const second = openTab(200);
  source?.change("d3");
  expect(second.notices).toEqual(["d2", false, "d3"]);
  expect(first.notices).toEqual([false, "d1", "d2", "d3"]);
  expect(Source.all).toHaveLength(1);
});

test("a tab whose page is older than what is known fetches everything", () => {
  openTab(300);
  const [source] = Source.all;
  source?.begin();
  expect(openTab(301).notices).toEqual([true]);
  now += 1_000;
  source?.reset();
  now += 10;
  expect(openTab(11).notices).toEqual([true]);
  expect(openTab(10).notices).toEqual([false]);
});

test("of very many changes the last are kept", () => {
  openTab(0);
  const [source] = Source.all;
  source?.begin();
  for (let n = 0; n <= 1_000; n++) {
    now += 1;
    source?.change(`d${n}`);
  }
  expect(openTab(1_000).notices).toEqual([true]);
  expect(openTab(999).notices).toHaveLength(1_001);
});

test("the stream ends with the last tab, and the next one begins anew", () => {
  const first = openTab(10);
  Source.all[0]?.begin();
  Source.all[0]?.change("d1");
  first.leave();
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  now += 60_000;
  const second = openTab(40);
  expect(Source.all[1]?.url).toBe("/api/changes?age=40");
  expect(second.notices).toEqual([]);
});
