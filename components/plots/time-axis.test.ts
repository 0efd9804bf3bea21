import { describe, expect, test, vi } from "vitest";
import { clampSpan, nanosecondsAt, secondsFrom, TimeAxis, tickStep, zoomAround } from "./time-axis";

const bounds = { from: 0, to: 100 };

describe("the time axis", () => {
  test("nanoseconds survive the conversion to seconds and back", () => {
    const origin = 1_770_000_000_123_456_789n;
    for (const ns of [origin, origin + 1n, origin + 1_199_900_258_789n])
      expect(nanosecondsAt(origin, secondsFrom(origin, ns))).toBe(ns);
  });
  test("a span moved over an end keeps its width", () => {
    expect(clampSpan({ from: -20, to: 10 }, bounds)).toEqual({ from: 0, to: 30 });
    expect(clampSpan({ from: 90, to: 120 }, bounds)).toEqual({ from: 70, to: 100 });
  });
  test("a span never becomes wider than the recording nor narrower than a tenth of a millisecond", () => {
    expect(clampSpan({ from: -500, to: 500 }, bounds)).toEqual(bounds);
    const least = clampSpan({ from: 50, to: 50 }, bounds);
    expect(least.to - least.from).toBeCloseTo(0.0001, 9);
  });
  test("zooming keeps the moment below the pointer in its place", () => {
    const { from, to } = zoomAround({ from: 20, to: 60 }, 30, 0.5, bounds);
    expect((30 - from) / (to - from)).toBeCloseTo(0.25, 9);
    expect(to - from).toBeCloseTo(20, 9);
  });
  test("what can be shown grows and shrinks; an axis that shows all of it goes on doing so", () => {
    vi.stubGlobal("requestAnimationFrame", () => 1);
    const axis = new TimeAxis(0n, bounds);
    axis.playhead = 90;
    axis.setBounds({ from: -10, to: 120 });
    expect([axis.span, axis.playhead]).toEqual([{ from: -10, to: 120 }, 90]);
    axis.show({ from: 50, to: 70 });
    axis.setBounds({ from: 0, to: 60 });
    expect([axis.span, axis.playhead]).toEqual([{ from: 40, to: 60 }, 60]);
    vi.unstubAllGlobals();
  });
  test("ticks lie at round times", () => {
    expect(tickStep(1200, 8)).toBe(300);
    expect(tickStep(60, 8)).toBe(10);
    expect(tickStep(0.01, 8)).toBeCloseTo(0.002, 12);
  });
});
