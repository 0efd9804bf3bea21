import { expect, test } from "vitest";
import type { Annotation } from "@/engine/messages/pictures/annotation";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import { styleOverlays } from "./overlay-style";

const at = { x: 1, y: 2 };
const line: Annotation = { kind: "lines", points: [at, at], width: 3, stroke: null, colours: [] };
const box = (score: number): Annotation[] => [
  { kind: "path", points: [at], isClosed: true, width: 2, stroke: null, fill: null, score },
  { kind: "text", at, text: "pallet", size: 12, colour: null, background: null, score },
];
const overlay = (shapes: Annotation[]): Overlay => ({ topic: "/boxes", stamp: null, matches: true, notes: [], shapes });
const asRecorded = { line_width: null, least_score: 0 };

test("as recorded, nothing is changed", () => {
  const overlays = [overlay([line, ...box(0.1)])];
  expect(styleOverlays(overlays, asRecorded)).toBe(overlays);
});

test("lines are as wide as chosen, texts as large as recorded", () => {
  const [drawn] = styleOverlays([overlay([line, ...box(1)])], { ...asRecorded, line_width: 6 });
  expect(drawn?.shapes).toMatchObject([
    { kind: "lines", width: 6 },
    { kind: "path", width: 6 },
    { kind: "text", size: 12 },
  ]);
});

test("detections below the least score are left out and counted; what has no score stays", () => {
  const overlays = [overlay([...box(0.9), ...box(0.5), ...box(0.2), line])];
  const look = (least_score: number) => styleOverlays(overlays, { ...asRecorded, least_score })[0];
  expect(look(0.5)?.shapes).toHaveLength(5);
  expect(look(0.5)?.notes).toEqual(["1 detection scores less than 0.50"]);
  expect(look(0.95)?.shapes).toEqual([line]);
  expect(look(0.95)?.notes).toEqual(["3 detections score less than 0.95"]);
});
