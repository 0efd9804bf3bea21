import { expect, test } from "vitest";
import { Silence } from "@/server/platform/process/silence.mjs";

const second = 1_000;

test("a thread that does not answer is silent for as long as that lasts, and what the process used is counted", () => {
  const silence = new Silence(second);
  silence.look({ answers: 1, now: 0, cpuMs: 500 });
  for (let n = 1; n <= 60; n++) silence.look({ answers: 1, now: n * second, cpuMs: 500 + n * 900 });
  expect([silence.silentMs, silence.cpuMs]).toEqual([60 * second, 54 * second]);
  silence.look({ answers: 2, now: 61 * second, cpuMs: 60_000 });
  expect([silence.silentMs, silence.cpuMs]).toEqual([0, 0]);
});

test("time in which the machine slept or the process was stopped is no silence", () => {
  const silence = new Silence(second);
  silence.look({ answers: 1, now: 0, cpuMs: 0 });
  // Busy for half a minute, then asleep for an hour.
  for (let n = 1; n <= 30; n++) silence.look({ answers: 1, now: n * second, cpuMs: n * second });
  silence.look({ answers: 1, now: 3_630 * second, cpuMs: 30 * second });
  expect(silence.silentMs).toBe(32 * second);
});

test("a starved process uses no processor time while it is silent", () => {
  const silence = new Silence(second);
  silence.look({ answers: 1, now: 0, cpuMs: 7 * second });
  for (let n = 1; n <= 600; n++) silence.look({ answers: 1, now: n * second, cpuMs: 7 * second + n });
  expect([silence.silentMs, silence.cpuMs]).toEqual([600 * second, 600]);
});
