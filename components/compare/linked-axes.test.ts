import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveAlignment, listAlignments } from "./alignment";
import { LinkedAxes } from "./linked-axes";

const first = { start: 1_000_000_000_000n, seconds: 20 };
const second = { start: 5_000_000_000_000n, seconds: 10 };
let frames: (() => void)[];

/** Draws frames until nothing more is to be drawn. */
function draw(): void {
  for (let round = 0; frames.length > 0 && round < 20; round++) for (const frame of frames.splice(0)) frame();
}

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
});
afterEach(() => vi.unstubAllGlobals());

describe("the axes of two recordings", () => {
  const open = (offset: number) => new LinkedAxes(first, second, offset, { span: null, playhead: 2 });

  test("show what either holds, each in its own time", () => {
    const { a, b } = open(15);
    expect([a.bounds, a.span]).toEqual([
      { from: 0, to: 25 },
      { from: 0, to: 25 },
    ]);
    expect([b.span, b.playhead, b.ns(b.playhead ?? 0)]).toEqual([{ from: -15, to: 10 }, -13, 4_987_000_000_000n]);
  });

  test("move together, whichever is moved", () => {
    const axes = open(5);
    const stop = axes.connect();
    axes.a.play(8);
    axes.a.show({ from: 4, to: 12 });
    draw();
    expect([axes.b.playhead, axes.b.span]).toEqual([3, { from: -1, to: 7 }]);
    axes.b.play(9);
    axes.b.point(1);
    axes.b.show({ from: 0, to: 2 });
    draw();
    expect([axes.a.playhead, axes.a.hover, axes.a.span]).toEqual([14, 6, { from: 5, to: 7 }]);
    stop();
    axes.a.play(1);
    draw();
    expect(axes.b.playhead).toBe(9);
  });

  test("do not hold back a playhead that moves on while the other follows", () => {
    const axes = open(0);
    axes.connect();
    axes.a.play(3);
    for (const frame of frames.splice(0)) frame();
    // The second was given 3 and reports it in the next frame, when the first is further.
    axes.a.play(4);
    draw();
    expect([axes.a.playhead, axes.b.playhead]).toEqual([4, 4]);
  });

  test("show the second elsewhere when it is moved, and more once it is let go", () => {
    const axes = open(0);
    axes.connect();
    const moved = vi.fn();
    axes.subscribe(moved);
    axes.moveTo(12, { isDragged: true });
    axes.moveTo(13, { isDragged: true });
    draw();
    expect([axes.a.bounds.to, axes.b.span.from, axes.b.playhead, moved.mock.calls.length]).toEqual([20, -13, -11, 1]);
    axes.moveTo(13);
    draw();
    expect([axes.a.span, axes.b.span]).toEqual([
      { from: 0, to: 23 },
      { from: -13, to: 10 },
    ]);
  });
});

describe("an alignment", () => {
  const anchors = {
    events: [{ label: "pick", a: "1003000000000", b: "5001500000000" }],
    alerts: [{ rule_name: "Hot", uid_a: "alert_1", uid_b: "alert_2", a: "1004000000000", b: "5009000000000" }],
  };
  const resolve = (wanted: string | null, b = second) => resolveAlignment(wanted, first, b, anchors);

  test("lays beginnings, the clock, events or alerts over each other", () => {
    expect(resolve(null)).toEqual({ value: "start", offset: 0, note: null });
    expect(resolve("event:pick")).toEqual({ value: "event:pick", offset: 1.5, note: null });
    expect(resolve("alert:alert_2")).toEqual({ value: "alert:alert_1", offset: -5, note: null });
    expect(resolve("clock", { start: first.start + 2_500_000_000n, seconds: 3 }).offset).toBe(2.5);
  });

  test("is that of the beginnings, and says so, where it does not exist", () => {
    expect(resolve("clock")).toMatchObject({
      value: "start",
      offset: 0,
      note: expect.stringContaining("different times"),
    });
    expect(resolve("event:place")).toMatchObject({
      value: "start",
      note: expect.stringContaining("beginnings are aligned"),
    });
    expect(listAlignments(first, second, anchors).map(({ value, disabled = false }) => [value, disabled])).toEqual([
      ["start", false],
      ["clock", true],
      ["event:pick", false],
      ["alert:alert_1", false],
    ]);
  });
});
