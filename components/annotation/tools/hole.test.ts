import { expect, test } from "vitest";
import { cutHole } from "../store/commands";
import { makeBox, makePolygon, makeSquare } from "../testing/drafts-of-tests";
import { open, press } from "../testing/store-of-tests";

const shapes = [makePolygon("p", makeSquare(100, 500)), makeBox("b", [600, 100, 50, 50])];
const readHoles = (store: ReturnType<typeof open>["store"]) => store.snapshot.shapes.get("p")?.coordinates["holes"];

test("a hole is cut into the selected polygon, another one next, and both are taken back", () => {
  const { store, said, ops } = open({ shapes });
  store.select(["p"]);
  cutHole(store);
  expect(store.snapshot.selected).toEqual(["p"]);
  for (const at of [...makeSquare(200, 300), [200, 200] as const]) press(store, at);
  expect(said.at(-1)).toBe("Hole cut");
  expect(readHoles(store)).toEqual([makeSquare(200, 300)]);
  for (const at of makeSquare(350, 400)) press(store, at);
  store.send({ type: "key", key: "Enter" });
  expect(readHoles(store)).toEqual([makeSquare(200, 300), makeSquare(350, 400)]);
  expect(store.hit([250, 250])).toBeNull();
  expect(store.hit([150, 150])?.id).toBe("p");
  store.undo();
  store.undo();
  expect(readHoles(store)).toBeUndefined();
  expect(ops.filter((op) => op.op === "put")).toHaveLength(4);
});

test("a hole lies inside of its polygon, has three points and an area, and its points are taken back one by one", () => {
  const { store, said } = open({ shapes });
  store.select(["p"]);
  cutHole(store);
  press(store, [50, 50]);
  expect(said.at(-1)).toBe("A hole lies inside of its polygon.");
  press(store, [200, 200]);
  press(store, [300, 200]);
  store.send({ type: "key", key: "Enter" });
  expect(said.at(-1)).toBe("A hole needs 3 points.");
  press(store, [250, 200]);
  store.send({ type: "key", key: "Enter" });
  expect(said.at(-1)).toBe("A hole needs an area.");
  store.undo();
  expect(store.snapshot.drawn).toBe(2);
  store.send({ type: "cancel" });
  expect([store.snapshot.drawn, readHoles(store)]).toEqual([0, undefined]);
});

test("without one selected polygon, or where nothing may be changed, no hole is begun", () => {
  const { store, said } = open({ shapes });
  for (const ids of [[], ["b"], ["p", "b"]]) {
    store.select(ids);
    cutHole(store);
    expect(store.snapshot.tool).toBe("select");
    expect(said.at(-1)).toBe("Select the polygon that gets the hole.");
  }
  const readOnly = open({ shapes, canEdit: false }).store;
  readOnly.select(["p"]);
  cutHole(readOnly);
  expect(readOnly.snapshot.tool).toBe("select");
});
