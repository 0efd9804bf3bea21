import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadMedia, readBusy, watchBusy } from "./media-queue";

const asked: string[] = [];
let answers: Response[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  vi.stubGlobal("fetch", (href: string) => {
    asked.push(href);
    return Promise.resolve(answers.shift() ?? new Response("picture"));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const never = new AbortController().signal;
const busy = (seconds: number): Response =>
  new Response(null, { status: 429, headers: { "retry-after": String(seconds) } });

test("while the server is busy nothing is asked for, and everything is once it says", async () => {
  const states: (number | null)[] = [];
  const leave = watchBusy(() => states.push(readBusy()?.seconds ?? null));
  answers = [busy(3)];
  const first = loadMedia("/a", never);
  await vi.advanceTimersByTimeAsync(2_000);
  const second = loadMedia("/b", never);
  await vi.advanceTimersByTimeAsync(900);
  expect(asked).toEqual(["/a"]);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.toSorted()).toEqual(["/a", "/a", "/b"]);
  expect(await first).toBeInstanceOf(Blob);
  expect(await second).toBeInstanceOf(Blob);
  expect(states).toEqual([3, null]);
  leave();
});

test("what is not needed any more leaves, and the others go on", async () => {
  const leaving = new AbortController();
  answers = [busy(1)];
  const left = loadMedia("/a", leaving.signal);
  await vi.advanceTimersByTimeAsync(500);
  leaving.abort();
  await expect(left).rejects.toThrow("not needed any more");
  const next = loadMedia("/b", never);
  await vi.advanceTimersByTimeAsync(600);
  expect(await next).toBeInstanceOf(Blob);
  expect(asked).toEqual(["/a", "/b"]);
  expect(readBusy()).toBeNull();
});
