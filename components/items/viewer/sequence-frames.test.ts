import { expect, test } from "vitest";
import { labelColour } from "@/components/items/item-colour";
import { toAxis, type Sequence } from "./sequence-frames";
import { listPredictedShapes, listResultShapes, readBox, readPoints, readVector } from "./shapes";
import { findFrame } from "./use-playback";
import { formatZoom, parseZoom } from "./use-stage-place";

const frame = (uid: string, number: number, t_ns: string | null = null) =>
  ({ uid, frame: number, media: "image", has_thumbnail: false, t_ns, frame_count: 1 }) as const;
const sequence = (views: Record<string, ReturnType<typeof frame>[]>): Sequence => ({
  uid: "s",
  key: "drive",
  status: "unattempted",
  views: Object.entries(views).map(([key, frames]) => ({ key, frames })),
});
const places = (axis: ReturnType<typeof toAxis>) =>
  axis.views.map(({ key, at }) => [key, at.map((each) => each?.uid ?? null)]);

test("views without times lie on one axis by their numbers, and say where a frame is missing", () => {
  const axis = toAxis(
    sequence({ front: [frame("f0", 0), frame("f1", 1), frame("f2", 2)], rear: [frame("r0", 0), frame("r2", 2)] }),
  );
  expect(places(axis)).toEqual([
    ["front", ["f0", "f1", "f2"]],
    ["rear", ["r0", null, "r2"]],
  ]);
  expect([axis.isTimed, axis.missing, [...axis.times]]).toEqual([false, [1], [0, 0.1, 0.2]]);
});

test("views with times lie together where they are of the same moment", () => {
  const axis = toAxis(
    sequence({
      front: [frame("f0", 0, "1000000000"), frame("f1", 1, "1100000000")],
      rear: [frame("r0", 0, "1005000000"), frame("r1", 1, "1150000000")],
    }),
  );
  expect(places(axis)).toEqual([
    ["front", ["f0", "f1", null]],
    ["rear", ["r0", null, "r1"]],
  ]);
  expect([axis.isTimed, axis.missing]).toEqual([true, [1, 2]]);
  expect(axis.times[2]).toBeCloseTo(0.15);
});

test("the frame that is due is the last one that has begun", () => {
  const times = [0, 0.04, 0.08, 0.2];
  expect([-1, 0, 0.039, 0.08, 0.19, 5].map((at) => findFrame(times, at))).toEqual([0, 0, 0, 2, 2, 3]);
});

test("a place in the address is read back as it was written; anything else is none", () => {
  const place = { x: 512.5, y: 10, scale: 2.25 };
  expect(parseZoom(formatZoom(place))).toEqual(place);
  for (const text of [null, "", "1,2", "1,2,0", "1,2,x", "1,2,3,4", "1,2,Infinity"]) expect(parseZoom(text)).toBeNull();
  expect(parseZoom("1,2,1000")?.scale).toBe(64);
});

test("shapes take the colours of their project, and their scores and frames from where results have them", () => {
  const coordinates = { x: 1, y: 2, width: 3, height: 4, frame: 7 };
  const mark = { label: "robot", type: "bbox", coordinates, attributes: { confidence: 0.5 } };
  const result = {
    uid: "r",
    status: "accepted",
    submitted_by: "ana",
    created_at: "",
    project_name: "Yard",
    labels: [{ name: "robot", color: "#0891b2" }],
    annotations: [mark],
  } as const;
  const [shape] = listResultShapes({ ...result, labels: [...result.labels], annotations: [mark] });
  expect(shape).toMatchObject({ id: "r-0", colour: "#0891b2", score: 0.5, frame: 7, run: null });
  const box = { x: 1, y: 2, width: 3, height: 4 };
  expect(readBox(coordinates)).toEqual({ ...box, rotation: 0 });
  expect(readBox({ ...coordinates, rotation: 30 })).toEqual({ ...box, rotation: 30 });
  expect(readBox({ x: 1 })).toBeNull();
  expect(
    readPoints({
      points: [
        [1, 2],
        ["a", 3],
        [4, 5],
      ],
    }),
  ).toEqual([
    [1, 2],
    [4, 5],
  ]);
  expect(readVector({ x: 1, y: 2, z: 3 }, ["x", "y", "z"])).toEqual([1, 2, 3]);
  expect(readVector([1, 2], ["x", "y", "z"])).toBeNull();
  const node = (uid: string, children: Parameters<typeof listPredictedShapes>[0]["nodes"] = []) => ({
    uid,
    annotation: { task_name: "m", object: "cart", data: { type: "bbox", coordinates, attributes: {} } },
    project_index: 0,
    status: "submitted",
    annotator: null,
    reviewer: null,
    children,
  });
  const run = { run_uid: "run", model_name: "m", created_at: "", nodes: [node("a", [node("b")])] };
  expect(listPredictedShapes(run, null).map(({ id, run: of, colour }) => [id, of, colour])).toEqual([
    ["run-a", "run", labelColour("cart")],
    ["run-b", "run", labelColour("cart")],
  ]);
  // A model's label has the colour that people see it in.
  const labelled = { ...result, labels: [{ name: "cart", color: "#112233" }], annotations: [] };
  expect(listPredictedShapes(run, labelled)[0]?.colour).toBe("#112233");
});
