import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyOps } from "@/domain/annotations/draft-shape";
import type { Point } from "@/domain/annotations/geometry";
import { makeBox, makeLabel, makePolygon } from "../testing/drafts-of-tests";
import { drag, only, open, press } from "../testing/store-of-tests";
import { toolNames } from "../tools/tools";

describe("a box", () => {
  test.each(["dragged", "pressed corner by corner", "by its four outermost points"])("is drawn %s", (how) => {
    const { store, ops } = open();
    store.setTool(how.includes("four") ? "extreme-box" : "box");
    if (how === "dragged") drag(store, [110, 220], [310, 300]);
    else if (how.includes("corner")) [[310, 300] as const, [110, 220] as const].forEach((at) => press(store, at));
    else
      for (const at of [
        [150, 220],
        [310, 250],
        [200, 300],
        [110, 240],
      ] as const)
        press(store, at);
    expect(only(store).coordinates).toMatchObject({ x: 110, y: 220, width: 200, height: 80 });
    expect(store.snapshot.selected).toEqual([only(store).id]);
    expect(ops).toHaveLength(1);
  });

  test("ends at the picture's border, and one without extent is not made", () => {
    const { store, said } = open();
    store.setTool("box");
    drag(store, [-50, -50], [100, 2_000]);
    expect(only(store).coordinates).toMatchObject({ x: 0, y: 0, width: 100, height: 800 });
    store.setTool("box");
    press(store, [500, 500]);
    press(store, [500, 500]);
    expect(store.snapshot.listed).toHaveLength(1);
    expect(said).toContain("A box needs a pixel of width and height.");
  });
});

describe("a polygon", () => {
  const corners: Point[] = [
    [100, 100],
    [300, 110],
    [280, 300],
  ];

  test.each(["Enter", "its first point", "its last point"])("is closed by %s", (how) => {
    const { store } = open();
    store.setTool("polygon");
    for (const at of corners) press(store, at);
    if (how === "Enter") store.send({ type: "key", key: "Enter" });
    else press(store, how === "its first point" ? [102, 101] : [280, 300]);
    expect(only(store)).toMatchObject({ type: "polygon", label_id: "forklift", coordinates: { points: corners } });
  });

  test("needs three points, a line two", () => {
    const { store, said } = open();
    store.setTool("polygon");
    for (const at of corners.slice(0, 2)) press(store, at);
    store.send({ type: "key", key: "Enter" });
    expect(store.snapshot.listed).toEqual([]);
    expect(said.at(-1)).toBe("A polygon needs 3 points.");
    store.setTool("polyline");
    for (const at of corners.slice(0, 2)) press(store, at);
    store.send({ type: "key", key: "Enter" });
    expect(only(store).type).toBe("polyline");
  });

  test("with Shift begins on points and edges of other shapes that are near", () => {
    const { store } = open({ shapes: [makeBox("a", [100, 100, 200, 200])] });
    store.setTool("polygon");
    for (const at of [
      [304, 97],
      [304, 200],
      [400, 150],
    ] as const)
      press(store, at, { shift: true });
    store.send({ type: "key", key: "Enter" });
    expect(store.snapshot.listed[1]?.coordinates["points"]).toEqual([
      [300, 100],
      [300, 200],
      [400, 150],
    ]);
  });

  test("is taken back point by point and comes back so; once finished, as a whole", () => {
    const { store, kept } = open();
    store.setTool("polygon");
    for (const at of corners) press(store, at);
    store.undo();
    store.undo();
    expect(store.snapshot.drawn).toBe(1);
    store.redo();
    store.redo();
    expect(kept.at(-1)?.unfinished?.points).toEqual(corners);
    store.send({ type: "key", key: "Enter" });
    expect(store.snapshot.listed).toHaveLength(1);
    store.undo();
    expect(store.snapshot).toMatchObject({ listed: [], canUndo: false, canRedo: true, drawn: 0 });
  });

  test("under construction is stored point by point and goes on after a reload", () => {
    const { store, kept } = open();
    store.setTool("polygon");
    store.setLabel("pallet");
    for (const at of corners.slice(0, 2)) press(store, at);
    const again = open({ kept: kept.at(-1) ?? null }).store;
    expect(again.snapshot).toMatchObject({ tool: "polygon", drawn: 2, labelId: "pallet" });
    press(again, [280, 300]);
    again.send({ type: "key", key: "Enter" });
    expect(only(again)).toMatchObject({ label_id: "pallet", coordinates: { points: corners } });
  });
});

describe("a skeleton", () => {
  const person = makeLabel("person", {
    points: ["nose", "left eye", "right eye"],
    edges: [
      [0, 1],
      [0, 2],
    ],
  });

  test("is complete after its last point; Alt hides a point, x leaves one out", () => {
    const { store, said } = open({ labels: [person] });
    store.setTool("keypoints");
    press(store, [100, 100]);
    expect(said).toContain("Next: left eye");
    press(store, [90, 90], { alt: true });
    store.send({ type: "key", key: "x" });
    expect(only(store).coordinates).toEqual({
      points: [
        [100, 100],
        [90, 90],
        [90, 90],
      ],
      visibility: [2, 1, 0],
    });
  });

  test("ended early has its missing points marked as absent, and is touched at its lines", () => {
    const { store } = open({ labels: [person] });
    store.setTool("keypoints");
    press(store, [100, 100]);
    press(store, [200, 100]);
    store.send({ type: "key", key: "Enter" });
    expect(only(store).coordinates["visibility"]).toEqual([2, 2, 0]);
    expect(store.hit([150, 102])?.id).toBe(only(store).id);
    expect(store.hit([150, 130])).toBeNull();
  });
});

describe("selecting", () => {
  const shapes = [makeBox("large", [100, 100, 400, 400]), makeBox("small", [200, 200, 50, 50], { position: -1 })];

  test("finds the smaller shape inside a larger one, also below it, and each by its line", () => {
    const { store } = open({ shapes });
    press(store, [225, 225]);
    expect(store.snapshot.selected).toEqual(["small"]);
    press(store, [400, 400]);
    expect(store.snapshot.selected).toEqual(["large"]);
    press(store, [103, 300]);
    expect(store.snapshot.selected).toEqual(["large"]);
    press(store, [800, 700]);
    expect(store.snapshot.selected).toEqual([]);
  });

  test("with Shift adds and takes away; a rectangle selects what it touches", () => {
    const { store } = open({ shapes });
    press(store, [225, 225]);
    press(store, [400, 400], { shift: true });
    expect(store.snapshot.selected).toEqual(["small", "large"]);
    press(store, [225, 225], { shift: true });
    expect(store.snapshot.selected).toEqual(["large"]);
    drag(store, [600, 50], [400, 400]);
    expect(store.snapshot.selected).toEqual(["large"]);
  });

  test("leaves out what is hidden", () => {
    const { store } = open({ shapes });
    store.hide(["small"], true);
    press(store, [225, 225]);
    expect(store.snapshot.selected).toEqual(["large"]);
    store.hideAll(true);
    press(store, [225, 225]);
    expect(store.snapshot.selected).toEqual([]);
  });
});

describe("dragging", () => {
  test("moves all that is selected as far as the picture goes, in one step", () => {
    const { store, ops } = open({ shapes: [makeBox("a", [100, 100, 100, 100]), makeBox("b", [700, 100, 100, 100])] });
    store.select(["a", "b"]);
    drag(store, [150, 150], [550, 160]);
    const lefts = store.snapshot.listed.map(({ coordinates }) => coordinates["x"]);
    expect(lefts).toEqual([300, 900]);
    expect(ops).toHaveLength(2);
    store.undo();
    expect(store.snapshot.listed.map(({ coordinates }) => coordinates["x"])).toEqual([100, 700]);
  });

  test("of a handle reshapes; past the other side the box turns over", () => {
    const { store } = open({ shapes: [makeBox("a", [100, 100, 100, 100])] });
    press(store, [150, 150]);
    drag(store, [200, 200], [50, 250]);
    expect(only(store).coordinates).toMatchObject({ x: 50, y: 100, width: 50, height: 150 });
  });

  test("a little moves nothing, and a model's shape that was moved is marked as edited", () => {
    const { store, ops } = open({ shapes: [makeBox("a", [100, 100, 100, 100], { attributes: { source: "model" } })] });
    drag(store, [150, 150], [152, 151]);
    expect(ops).toEqual([]);
    drag(store, [150, 150], [170, 150]);
    expect(only(store).attributes["source"]).toBe("model_edited");
  });

  test("with Alt puts a point into a line and takes one out, but not the third last", () => {
    const triangle: [number, number][] = [
      [100, 100],
      [300, 100],
      [200, 300],
    ];
    const { store, said } = open({ shapes: [makePolygon("a", triangle)] });
    press(store, [200, 101], { alt: true });
    expect(only(store).coordinates["points"]).toEqual([triangle[0], [200, 100], triangle[1], triangle[2]]);
    press(store, [300, 100], { alt: true });
    press(store, [100, 100], { alt: true });
    expect(only(store).coordinates["points"]).toEqual([[100, 100], [200, 100], triangle[2]]);
    expect(said.at(-1)).toBe("This shape needs its points.");
  });
});

test("a draft that cannot be edited is not: nothing that is pressed or dragged with any tool changes it", () => {
  const { store, ops } = open({ shapes: [makeBox("a", [100, 100, 100, 100])], canEdit: false });
  for (const tool of toolNames) {
    store.setTool(tool);
    drag(store, [150, 150], [400, 400]);
    press(store, [100, 100], { alt: true });
    store.send({ type: "key", key: "Enter" });
  }
  store.undo();
  expect(ops).toEqual([]);
  expect(only(store).coordinates).toMatchObject({ x: 100, width: 100 });
});

test("a tool whose shape no label may have draws nothing and says so", () => {
  const { store, said } = open({
    labels: [makeLabel("sky", { types: ["polygon"] }), makeLabel("old", { retired: true })],
  });
  store.setTool("box");
  drag(store, [150, 150], [400, 400]);
  expect(store.snapshot.listed).toEqual([]);
  expect(said).toContain("No label may have a box.");
});

test("what is taken back out of view is shown first, and changed the second time", () => {
  const { store, said } = open();
  store.setTool("box");
  drag(store, [10, 10], [60, 60]);
  store.view.show({ left: 800, top: 700, right: 820, bottom: 720 });
  store.undo();
  expect(store.snapshot.listed).toHaveLength(1);
  expect(said.at(-1)).toBe("Moved to what changes; again to change it.");
  store.undo();
  expect(store.snapshot.listed).toEqual([]);
});

test("own work that others changed meanwhile is decided: taken, or left", () => {
  const theirs = [makeBox("a", [0, 0, 10, 10]), makeBox("b", [50, 0, 10, 10])];
  const mine = makeBox("a", [0, 0, 30, 30]);
  const note = "yours of 14:02";
  const proposals = [
    { id: "a", shape: mine, note },
    { id: "b", shape: null, note },
  ];
  const { store, ops } = open({ shapes: theirs, proposals });
  store.decide("a", true);
  expect(store.snapshot.shapes.get("a")).toEqual(mine);
  store.decide("b", false);
  expect(store.snapshot.shapes.has("b")).toBe(true);
  expect(store.snapshot.proposals).toEqual([]);
  expect(ops).toEqual([{ op: "put", id: "a", shape: mine }]);
});

test("the changes of any work lead from the draft that was given to the one that is shown, and back by undo", () => {
  const at = fc.tuple(fc.integer({ min: -50, max: 1_050 }), fc.integer({ min: -50, max: 850 }));
  const held = fc.record({ shift: fc.boolean(), alt: fc.boolean() });
  const action = fc.oneof(
    fc.tuple(fc.constant("drag" as const), at, at, held),
    fc.tuple(fc.constant("press" as const), at, at, held),
    fc.tuple(fc.constant("tool" as const), fc.constantFrom(...toolNames)),
    fc.tuple(fc.constant("key" as const), fc.constantFrom("Enter", "x")),
    fc.tuple(fc.constantFrom("undo" as const, "redo" as const)),
  );
  const shapes = [
    makeBox("a", [100, 100, 300, 300]),
    makePolygon("b", [
      [500, 100],
      [900, 150],
      [700, 600],
    ]),
  ];
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { store, ops } = open({ shapes });
      for (const each of actions) {
        if (each[0] === "drag") drag(store, each[1], each[2], each[3]);
        else if (each[0] === "press") press(store, each[1], each[3]);
        else if (each[0] === "tool") store.setTool(each[1]);
        else if (each[0] === "key") store.send({ type: "key", key: each[1] });
        else store[each[0]]();
      }
      const given = new Map(shapes.map((shape) => [shape.id, shape]));
      expect(new Map([...applyOps(given, ops)].toSorted())).toEqual(new Map([...store.snapshot.shapes].toSorted()));
      store.setTool("select");
      while (store.snapshot.canUndo) store.undo();
      expect(new Map([...store.snapshot.shapes].toSorted())).toEqual(given);
    }),
    { numRuns: 60 },
  );
});
