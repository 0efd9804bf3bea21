import { expect, test } from "vitest";
import type { Annotation } from "@/domain/tasks/schema";
import type { EditorLabel } from "./editor-label";
import { toPromptShapes } from "./prompt-answer";

const makeLabel = (name: string, types: string[] = []): EditorLabel => ({
  id: `id of ${name}`,
  name,
  color: "#0891b2",
  types,
  attributes: [{ key: "load", name: "Load", kind: "text", options: [], required: false }],
  points: [],
  edges: [],
  description: "",
  retired: false,
});
const labels = [makeLabel("forklift", ["mask", "bbox"]), makeLabel("pallet", ["bbox"])];
const box = { x: 1, y: 2, width: 3, height: 4 };
const aBox = (label: string, attributes: Record<string, unknown> = {}): Annotation => ({
  label,
  type: "bbox",
  coordinates: box,
  attributes,
});
let ids = 0;
const createId = () => `018f0000-0000-7000-8000-${String((ids += 1)).padStart(12, "0")}`;
const toShapes = (...answer: Annotation[]) => toPromptShapes(answer, { labels, drawn: labels[0]!, createId, top: 7 });

test("answers have the label of the project that they name, else the one that is drawn, and how sure the model is", () => {
  const shapes = toShapes(
    aBox("pallet", { score: 0.25, load: "boxes", other: 1 }),
    aBox("thing", { confidence: 1 }),
    aBox("thing"),
  );
  expect(shapes).toMatchObject([
    { label_id: "id of pallet", position: 7, coordinates: box },
    { label_id: "id of forklift", position: 8, attributes: { source: "model", score: 1 } },
    { label_id: "id of forklift", position: 9, attributes: { source: "model", score: null } },
  ]);
  expect(shapes[0]?.attributes).toEqual({ load: "boxes", source: "model", score: 0.25 });
});

test("shapes that the label may not have are left out", () => {
  const line: Annotation = {
    label: "thing",
    type: "polyline",
    coordinates: {
      points: [
        [0, 0],
        [1, 1],
      ],
    },
    attributes: {},
  };
  expect(toShapes(line, aBox("thing"))).toHaveLength(1);
});
