import { describe, expect, test } from "vitest";
import { turnBy } from "../store/commands";
import { makeBox, makeSquare, makePolygon } from "../testing/drafts-of-tests";
import { drag, only, open, press } from "../testing/store-of-tests";

const rounded = (value: unknown): number => Math.round(Number(value) * 1_000) / 1_000;
const read = (coordinates: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(coordinates).map(([key, value]) => [key, rounded(value)]));

describe("a rotated box", () => {
  test("is a side, and how far it reaches from there, on either hand", () => {
    for (const far of [
      [300, 500],
      [500, 300],
    ] as const) {
      const { store, ops } = open();
      store.setTool("rotated-box");
      for (const at of [[300, 300], [400, 400], far] as const) press(store, at);
      const { x, y, ...rest } = read(only(store).coordinates);
      expect(rest).toEqual({ width: rounded(100 * Math.SQRT2), height: rounded(100 * Math.SQRT2), rotation: 45 });
      const center = [Number(x) + Number(rest["width"]) / 2, Number(y) + Number(rest["height"]) / 2].map(Math.round);
      expect(center).toEqual(far[0] === 300 ? [300, 400] : [400, 300]);
      expect(ops).toHaveLength(1);
    }
  });

  test("has a side in steps of 15 degrees with Shift, and none of no length", () => {
    const { store, said } = open();
    store.setTool("rotated-box");
    press(store, [300, 300]);
    press(store, [300.5, 300]);
    expect(store.snapshot.drawn).toBe(1);
    press(store, [400, 320], { shift: true });
    press(store, [300, 300]);
    expect(said.at(-1)).toBe("A box needs a pixel of width and height.");
    press(store, [350, 400]);
    expect(read(only(store).coordinates)).toMatchObject({ rotation: 15, width: rounded(Math.hypot(100, 20)) });
  });

  test("that is level is one as others, and a point of it is taken back", () => {
    const { store } = open();
    store.setTool("rotated-box");
    press(store, [300, 300]);
    press(store, [400, 350]);
    store.undo();
    press(store, [400, 300]);
    press(store, [320, 340]);
    expect(only(store).coordinates).toEqual({ x: 300, y: 300, width: 100, height: 40 });
  });
});

describe("a selected box", () => {
  test("is turned by the handle above it, which lies outside of it", () => {
    const { store } = open({ shapes: [makeBox("a", [100, 100, 200, 100])] });
    store.select(["a"]);
    drag(store, [200, 100 - 4 * store.reach], [400, 160], { shift: true });
    expect(read(only(store).coordinates)).toEqual({ x: 100, y: 100, width: 200, height: 100, rotation: 90 });
    drag(store, [200 + 50 + 4 * store.reach, 150], [200, 0]);
    expect(only(store).coordinates).toEqual({ x: 100, y: 100, width: 200, height: 100 });
    store.undo();
    expect(only(store).coordinates).toMatchObject({ rotation: 90 });
  });

  test("is turned by keys: by a degree, to the next step of 15, and as long as a key is held in one step back", () => {
    const { store, said } = open({ shapes: [makeBox("a", [100, 100, 200, 100]), makePolygon("p", makeSquare(0, 9))] });
    store.select(["a"]);
    turnBy(store, 1, false, false);
    turnBy(store, 1, true, false);
    expect(store.snapshot.shapes.get("a")?.coordinates).toMatchObject({ rotation: 15 });
    expect(said.at(-1)).toBe("200 by 100 at 100, 100, turned by 15°");
    turnBy(store, -1, false, true);
    turnBy(store, -1, false, true);
    expect(store.snapshot.shapes.get("a")?.coordinates).toMatchObject({ rotation: 13 });
    store.undo();
    expect(store.snapshot.shapes.get("a")?.coordinates).toMatchObject({ rotation: 15 });
    store.select(["p"]);
    turnBy(store, 1, false, false);
    expect(said.at(-1)).toBe("Only boxes can be turned.");
  });
});
