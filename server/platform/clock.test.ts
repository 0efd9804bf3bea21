import { expect, test } from "vitest";
import { DatabaseClock } from "@/server/platform/clock";

const start = Date.UTC(2026, 0, 1);

/** A machine whose clocks only the test moves. */
function makeMachine(wall = start) {
  const state = { wall, monotonic: 5_000 };
  return {
    state,
    clock: new DatabaseClock({ wall: () => state.wall, monotonic: () => state.monotonic }),
    pass: (ms: number) => {
      state.wall += ms;
      state.monotonic += ms;
    },
  };
}

test("before the first measurement, the time is the machine's", () => {
  const { clock, pass } = makeMachine();
  expect([clock.ms(), clock.machineAheadMs()]).toEqual([start, 0]);
  pass(20);
  expect(clock.ms()).toBe(start + 20);
});

test("a step of the machine's clock does not change the time, only how far the machine is away", async () => {
  const { clock, state, pass } = makeMachine();
  await clock.measure(() => Promise.resolve(start + 60_000));
  expect([clock.ms(), clock.machineAheadMs()]).toEqual([start + 60_000, -60_000]);
  state.wall += 3_600_000;
  pass(1_000);
  expect([clock.ms(), clock.machineAheadMs()]).toEqual([start + 61_000, 3_540_000]);
});

test("a measurement that agrees within its round trip changes nothing", async () => {
  const { clock, pass } = makeMachine();
  await clock.measure(() => Promise.resolve(start));
  pass(10_000);
  for (const late of [0, 400, 200]) {
    const before = clock.ms();
    await clock.measure(() => {
      pass(400);
      return Promise.resolve(before + late);
    });
    expect(clock.ms()).toBe(before + 400);
  }
});

test("a measurement that disagrees moves the time no further than its round trip requires", async () => {
  const { clock, pass } = makeMachine();
  await clock.measure(() => Promise.resolve(start));
  await clock.measure(() => {
    pass(100);
    return Promise.resolve(start + 3_000);
  });
  expect(clock.ms()).toBe(start + 3_000);
  await clock.measure(() => {
    pass(100);
    return Promise.resolve(start);
  });
  expect(clock.ms()).toBe(start + 100);
});

test("a failed measurement changes nothing", async () => {
  const { clock } = makeMachine();
  await clock.measure(() => Promise.resolve(start + 9));
  await expect(clock.measure(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(clock.ms()).toBe(start + 9);
});
