import { afterEach, expect, test, vi } from "vitest";
import { databaseClock, databaseMs } from "@/server/platform/clock";
import { clockWarner, measureClock, requireRightClock, startClock } from "@/server/platform/process/clock-check";
import { FatalError } from "@/server/platform/process/fatal-error";
import { readiness } from "@/server/platform/process/readiness";
import { setMachineAhead } from "@/server/testing/machine-clock";

const hourMs = 3_600_000;
const toleranceMs = 60_000;
afterEach(() => {
  vi.useRealTimers();
  databaseClock.forget();
});

test("a process whose clock is an hour ahead uses the database's time", async () => {
  const right = Date.now();
  setMachineAhead(hourMs);
  expect(databaseMs() - right).toBeGreaterThan(hourMs - toleranceMs);
  await measureClock();
  expect(Math.abs(databaseMs() - right)).toBeLessThan(toleranceMs);
  expect(Math.abs(databaseClock.machineAheadMs() - hourMs)).toBeLessThan(toleranceMs);
});

test.each([-2 * hourMs, 6 * 60_000])("a process does not start whose clock is %d ms away", async (aheadMs) => {
  setMachineAhead(aheadMs);
  const refusal: unknown = await startClock().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(FatalError);
  expect(String(refusal)).toMatch(aheadMs < 0 ? /7[12]\d\d s behind that of the database/ : /3[56]\d s ahead of/);
  expect(String(refusal)).toContain("Set both by NTP");
});

test("a process whose clock becomes wrong stays ready, with a warning", async () => {
  await measureClock();
  expect((await readiness()).warnings).not.toHaveProperty("clock");
  requireRightClock();
  setMachineAhead(hourMs);
  const { ready, warnings } = await readiness();
  expect([ready, warnings.clock]).toEqual([true, "wrong"]);
});

test("a clock more than 30 s away is logged once in ten minutes", async () => {
  await measureClock();
  const lines: string[] = [];
  const warn = clockWarner(databaseClock, (_fields: object, text?: string) => void lines.push(text ?? ""));
  warn();
  expect(lines).toEqual([]);
  setMachineAhead(-75_000);
  warn();
  warn();
  expect(lines).toEqual([expect.stringMatching(/7\d s behind that of the database, whose time is used/)]);
});
