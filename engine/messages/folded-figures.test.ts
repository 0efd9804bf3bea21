import { describe, expect, test } from "vitest";
import { rotate } from "@/engine/messages/pose";
import type { Figures, Shape } from "@/engine/messages/scene-object";
import { FigureState, type FigureChange } from "@/engine/messages/scenes/figure-state";
import { findFoldedAdapter } from "@/engine/messages/scenes/scene-adapters";

const header = { stamp: { sec: 1, nanosec: 0 }, frame_id: "map" };
const near = (vector: readonly number[]) => vector.map((part) => Math.round(part * 1e6) / 1e6 + 0);

describe("markers", () => {
  const marker = {
    header,
    ns: "a",
    id: 1,
    type: 1,
    action: 0,
    pose: {},
    scale: { x: 1, y: 1, z: 1 },
    color: { r: 1, g: 0, b: 0, a: 1 },
    lifetime: {},
  };
  const readAll = (schema: string, value: unknown) => findFoldedAdapter(schema)!(value);
  const fold = (state: FigureState, markers: object[], time: bigint) =>
    state.apply(readAll("visualization_msgs/MarkerArray", { markers }).changes, time);
  const names = (state: FigureState, at: bigint) => state.list(at).figures.map(({ name }) => name);

  test("replace those of their namespace and id, and are deleted one by one, by namespace, or all", () => {
    const state = new FigureState();
    fold(state, [marker, { ...marker, id: 2 }, { ...marker, ns: "b" }, { ...marker, id: 1, type: 2 }], 1n);
    expect(names(state, 1n)).toEqual(["a 1", "a 2", "b 1"]);
    expect(state.list(1n).figures[0]!.shapes[0]!.kind).toBe("sphere");
    fold(state, [{ ...marker, action: 2, id: 2 }], 2n);
    expect(names(state, 2n)).toEqual(["a 1", "b 1"]);
    fold(state, [{ ...marker, action: 3 }], 3n);
    expect(names(state, 3n)).toEqual(["b 1"]);
    fold(state, [{ ...marker, ns: "", action: 3 }], 4n);
    expect(names(state, 4n)).toEqual([]);
  });

  test("are over after their lifetime of the log", () => {
    const state = new FigureState();
    fold(state, [{ ...marker, lifetime: { sec: 2, nanosec: 0 } }], 1_000_000_000n);
    expect(state.list(2_900_000_000n)).toMatchObject({ until: 3_000_000_000n, figures: [{ name: "a 1" }] });
    expect(names(state, 3_000_000_000n)).toEqual([]);
  });

  test("of lists leave out the point that completes no line, and count it", () => {
    const points = [0, 1, 2].map((x) => ({ x, y: 0, z: 0 }));
    const { changes, notes } = readAll("visualization_msgs/Marker", { ...marker, type: 5, points });
    const [change] = changes as [Extract<FigureChange, { action: "set" }>];
    expect(change.figures.shapes[0]).toMatchObject({ kind: "segments", points: new Float32Array([0, 0, 0, 1, 0, 0]) });
    expect(notes).toEqual(["1 point that completes no line or triangle"]);
  });

  test("arrows between two points lie along them", () => {
    const points = [
      { x: 1, y: 0, z: 0 },
      { x: 1, y: 3, z: 0 },
    ];
    const { changes } = readAll("visualization_msgs/Marker", {
      ...marker,
      type: 0,
      points,
      scale: { x: 0.1, y: 0.2, z: 1 },
    });
    const [change] = changes as [Extract<FigureChange, { action: "set" }>];
    const [arrow] = change.figures.shapes as [Extract<Shape, { kind: "arrow" }>];
    expect(arrow).toMatchObject({ pose: { position: [1, 0, 0] }, shaft: [2, 0.1], head: [1, 0.2] });
    expect(near(rotate(arrow.pose.orientation, [1, 0, 0]))).toEqual([0, 1, 0]);
  });

  test("that nobody can see, or that are not known, are counted and stop none of the others", () => {
    const bad = [
      { ...marker, color: { a: 0 } },
      { ...marker, id: 3, type: 12 },
      { ...marker, id: 6, scale: {} },
      { ...marker, id: 7, type: 9, text: "flat", scale: { x: 1, y: 1, z: 0 } },
      { ...marker, id: 8, type: 4 },
      { ...marker, id: 9, type: 44 },
      { ...marker, action: 9 },
      { ...marker, id: 4, pose: { position: { x: Infinity } } },
    ];
    const { changes, notes } = readAll("visualization_msgs/MarkerArray", { markers: [...bad, { ...marker, id: 5 }] });
    const state = new FigureState();
    state.apply(changes, 1n);
    expect(names(state, 1n)).toEqual(["a 5"]);
    expect(state.list(1n).notes).toEqual([
      "nothing to see, the opacity is 0: a 1",
      "ARROW_STRIP (12) is not drawn: a 3",
      "nothing to see, the scale is 0: a 6, a 7",
      "nothing to see, it has no points: a 8",
      "the unknown type (44) is not drawn: a 9",
    ]);
    expect(notes).toEqual([
      "1 marker not drawn: The action 9 of a marker is not known.",
      `1 marker not drawn: The field "x" is not a finite number.`,
    ]);
  });

  test("stay listed while others change, until they are replaced or over", () => {
    const state = new FigureState();
    const strips = Array.from({ length: 7 }, (_, id) => ({ ...marker, id, type: 12 }));
    fold(state, [...strips, { ...marker, id: 20, type: 12, lifetime: { sec: 2, nanosec: 0 } }], 1_000_000_000n);
    fold(state, [{ ...marker, ns: "b" }], 2_000_000_000n);
    expect(state.list(2_000_000_000n).notes).toEqual([
      "ARROW_STRIP (12) is not drawn: a 0, a 1, a 2, a 3, a 4 and 3 more",
    ]);
    fold(
      state,
      strips.slice(2).map((each) => ({ ...each, type: 1 })),
      3_000_000_000n,
    );
    expect(state.list(3_000_000_000n).notes).toEqual(["ARROW_STRIP (12) is not drawn: a 0, a 1"]);
  });

  test("of triangles say that their texture is not drawn", () => {
    const points = [0, 1, 2].map((x) => ({ x, y: x * x, z: 0 }));
    const state = new FigureState();
    const plain = { ...marker, type: 11, points, texture_resource: "", texture: { format: "", data: [] } };
    const packed = { ...plain, id: 3, texture: { format: "png", data: new Uint8Array([1]) } };
    fold(state, [plain, { ...plain, id: 2, texture_resource: "embedded://wood.png" }, packed], 1n);
    expect(state.list(1n)).toMatchObject({ notes: ["drawn without its texture: a 2, a 3"] });
    expect(names(state, 1n)).toEqual(["a 1", "a 2", "a 3"]);
  });

  test("with a point that is no number lose its piece alone, and the others keep their colours", () => {
    const points = [0, 1, Number.NaN, 3, 4, 5].map((x) => ({ x, y: 0, z: 0 }));
    const colors = points.map((_, at) => ({ r: at / 5, g: 0, b: 0, a: 1 }));
    const { changes, notes } = readAll("visualization_msgs/Marker", { ...marker, type: 5, points, colors });
    const [change] = changes as [Extract<FigureChange, { action: "set" }>];
    expect(change.figures.shapes[0]).toMatchObject({
      points: new Float32Array([0, 0, 0, 1, 0, 0, 4, 0, 0, 5, 0, 0]),
      colours: new Float32Array([0, 0, 0, 1, 0.2, 0, 0, 1, 0.8, 0, 0, 1, 1, 0, 0, 1]),
    });
    expect(notes).toEqual(["1 point whose place is no number"]);
  });

  test("with another number of colours than points have one colour, and say so", () => {
    const points = [0, 1, 2].map((x) => ({ x, y: 0, z: 0 }));
    const { changes, notes } = readAll("visualization_msgs/Marker", {
      ...marker,
      type: 4,
      points,
      colors: [{ r: 1, g: 0, b: 0, a: 1 }],
    });
    const [change] = changes as [Extract<FigureChange, { action: "set" }>];
    expect(change.figures.shapes[0]).toMatchObject({ kind: "line", colours: null, colour: [1, 0, 0, 1] });
    expect(notes).toEqual(["3 points of a marker, but 1 colour"]);
  });

  test("all of one namespace are deleted, not those of one whose name begins alike", () => {
    const state = new FigureState();
    fold(state, [marker, { ...marker, ns: "a b" }], 1n);
    fold(state, [{ ...marker, action: 3 }], 2n);
    expect(names(state, 2n)).toEqual(["a b 1"]);
  });
});

test("entities replace those of their id, and are deleted by it or all", () => {
  const readUpdate = findFoldedAdapter("foxglove.SceneUpdate")!;
  const state = new FigureState();
  const colour = { r: 0, g: 1, b: 0, a: 1 };
  const cube = { pose: {}, size: { x: 1, y: 2, z: 3 }, color: colour };
  const entity = { timestamp: "1970-01-01T00:00:05Z", frame_id: "map", id: "a", lifetime: {}, frame_locked: true };
  const points = [0, 1, 2].map((x) => ({ x, y: x * x, z: 0 }));
  const line = { type: 1, pose: {}, points, indices: [0, 2, 7], color: colour, colors: [] };
  const update = readUpdate({
    deletions: [],
    entities: [
      { ...entity, cubes: [cube], lines: [line] },
      { ...entity, id: "b", cubes: [cube, { ...cube, color: { ...colour, a: 0 } }] },
    ],
  });
  expect(update.notes).toEqual(["1 index of a point that does not exist"]);
  state.apply(update.changes, 1n);
  const [shown] = state.list(1n).figures as [Figures];
  expect(shown).toMatchObject({ name: "a", frame: "map", stamp: 5_000_000_000n, isLocked: true });
  expect(shown.shapes).toMatchObject([
    { kind: "cube", size: [1, 2, 3] },
    { kind: "line", points: new Float32Array([0, 0, 0, 2, 4, 0, 0, 0, 0]) },
  ]);
  expect(state.list(1n).notes).toEqual(["nothing to see of 1, the opacity is 0: b"]);
  state.apply(readUpdate({ deletions: [{ type: 0, id: "a" }], entities: [] }).changes, 2n);
  expect(state.list(2n).figures.map(({ name }) => name)).toEqual(["b"]);
  state.apply(readUpdate({ deletions: [{ type: "ALL" }], entities: [] }).changes, 3n);
  expect(state.list(3n).figures).toEqual([]);
});
