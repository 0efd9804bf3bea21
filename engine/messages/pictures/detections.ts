import { AnnotationList, type Annotations, type Paint, type PicturePoint } from "@/engine/messages/pictures/annotation";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readPart, type Fields } from "@/engine/messages/reading";

/** Colours of classes. Every box has its class as a text too. */
const colours = [
  "rgb(255 214 0 / 1)",
  "rgb(0 229 255 / 1)",
  "rgb(255 110 64 / 1)",
  "rgb(118 255 3 / 1)",
  "rgb(234 128 252 / 1)",
];

export function chooseColour(name: string): Exclude<Paint, null> {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 9_973;
  return colours[sum % colours.length]!;
}

export interface Hypothesis {
  name: string;
  score: number;
}

/** The likeliest class. Its name and score moved into `hypothesis` with version 4, and was called `id` before. */
export function findBest(detection: Fields): Hypothesis | null {
  const all = Array.from(readList(detection, "results"), (value): Hypothesis => {
    const result = readFields(value);
    const inner = result.hypothesis === undefined ? result : readPart(result, "hypothesis");
    const name = inner.class_id ?? inner.id ?? "";
    return { name: typeof name === "string" ? name : String(name as number), score: Number(inner.score ?? Number.NaN) };
  });
  return all.toSorted((a, b) => (b.score || 0) - (a.score || 0))[0] ?? null;
}

/** The score of a class as a part of what is drawn for it; nothing where it is not said. */
export const toScore = (best: Hypothesis | null): { score?: number } =>
  best && Number.isFinite(best.score) ? { score: best.score } : {};

/** "pallet 0.87": the likeliest class and its score, as far as they are said. */
export function describeBest(best: Hypothesis | null): string {
  const score = best && Number.isFinite(best.score) ? best.score.toFixed(2) : "";
  return [best?.name, score].filter(Boolean).join(" ");
}

/** The corners of a box, given by its centre, its sizes and its turn in radians. */
function listCorners(box: Fields): PicturePoint[] {
  const center = readPart(box, "center");
  const position = center.position === undefined ? center : readPart(center, "position");
  const theta = Number(center.theta ?? 0);
  const [x, y] = [Number(position.x), Number(position.y)];
  const [across, down] = [Number(box.size_x) / 2, Number(box.size_y) / 2];
  const [cosine, sine] = [Math.cos(theta), Math.sin(theta)];
  return [
    [-across, -down],
    [across, -down],
    [across, down],
    [-across, down],
  ].map(([dx = 0, dy = 0]) => ({ x: x + cosine * dx - sine * dy, y: y + sine * dx + cosine * dy }));
}

/** A message of vision_msgs/Detection2DArray: a box for each detection, with its class and score. */
export function readDetections(value: unknown): Annotations {
  const fields = readFields(value);
  const list = new AnnotationList();
  for (const detection of Array.from(readList(fields, "detections"), readFields)) {
    const corners = list.readPoints(listCorners(readPart(detection, "bbox")));
    if (corners.length < 4) continue;
    const best = findBest(detection);
    const stroke = chooseColour(best?.name ?? "");
    const score = toScore(best);
    list.add({ kind: "path", points: corners, isClosed: true, width: 2, stroke, fill: null, ...score });
    const text = describeBest(best);
    if (text === "") continue;
    const at = { x: Math.min(...corners.map(({ x }) => x)), y: Math.min(...corners.map(({ y }) => y)) };
    list.add({ kind: "text", at, text, size: null, colour: "rgb(0 0 0 / 1)", background: stroke, ...score });
  }
  return list.finish(readStamp(fields));
}
