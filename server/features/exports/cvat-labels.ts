import type { Label, LabelAttribute } from "@/domain/projects/label-schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type { SeenAttributes } from "@/server/features/exports/cvat-shapes";
import { element, textElement } from "@/server/features/exports/markup";

/** CVAT's inputs; it has none for several options at once, and its numbers are whole ones of a range. */
const inputs: Readonly<Record<LabelAttribute["kind"], string>> = {
  select: "select",
  boolean: "checkbox",
  multi: "text",
  number: "text",
  text: "text",
};

const toAttribute = ({ key, kind, options, default: preset, per_frame }: LabelAttribute): string =>
  element(
    "attribute",
    {},
    [
      textElement("name", key),
      textElement("mutable", per_frame ? "True" : "False"),
      textElement("input_type", inputs[kind]),
      textElement("default_value", Array.isArray(preset) ? preset.join(", ") : String(preset ?? "")),
      textElement("values", kind === "boolean" ? "false" : kind === "select" ? options.join("\n") : ""),
    ].join(""),
  );

/** An attribute that only results have. */
const toSeen = (key: string): string =>
  toAttribute({ key, name: "", kind: "text", options: [], required: false, per_frame: false });

/** Where a point of a skeleton is drawn in CVAT's picture of it, whose sides are 100: on a circle. */
function placePoint(at: number, of: number): { cx: string; cy: string } {
  const angle = (2 * Math.PI * at) / of - Math.PI / 2;
  return { cx: (50 + 40 * Math.cos(angle)).toFixed(1), cy: (50 + 40 * Math.sin(angle)).toFixed(1) };
}

/** CVAT's picture of a skeleton, which says what its points are called and which of them are connected. */
function drawSkeleton({ points, edges }: Label): string {
  const places = points.map((_, at) => placePoint(at, points.length));
  const lines = edges.flatMap(([from, to]) => {
    const [start, end] = [places[from], places[to]];
    if (!start || !end) return [];
    const ends = { x1: start.cx, y1: start.cy, x2: end.cx, y2: end.cy };
    const nodes = { "data-node-from": from + 1, "data-node-to": to + 1 };
    return [element("line", { ...ends, stroke: "black", "data-type": "edge", ...nodes, "stroke-width": "0.5" })];
  });
  const circles = points.map((name, at) =>
    element("circle", {
      r: "1.5",
      stroke: "black",
      fill: "#b3b3b3",
      ...places[at],
      "stroke-width": "0.1",
      "data-type": "element node",
      "data-element-id": at + 1,
      "data-node-id": at + 1,
      "data-label-name": name,
    }),
  );
  return [...lines, ...circles].join("");
}

const toLabel = (name: string, parts: readonly string[]): string =>
  element("label", {}, [textElement("name", name), ...parts].join(""));

/** The labels of a document, each with its attributes; the points of a skeleton are labels too. */
export function listLabels({ names, numbers, labels }: Classes, seen: SeenAttributes): string {
  const entries = names.flatMap((name, number) => {
    if (numbers.get(name) !== number) return [];
    const label = labels.get(number);
    const keys = new Set(label?.attributes.map(({ key }) => key));
    const others = [...(seen.get(name) ?? [])];
    const attributes = [
      ...(label?.attributes ?? []).map(toAttribute),
      ...others.filter((key) => !keys.has(key)).map(toSeen),
    ];
    const isSkeleton = label !== undefined && label.points.length > 0;
    const own = [
      textElement("color", label?.color ?? "#0891b2"),
      textElement("type", isSkeleton ? "skeleton" : "any"),
      element("attributes", {}, attributes.join("")),
      ...(isSkeleton ? [textElement("svg", drawSkeleton(label))] : []),
    ];
    const points = (isSkeleton ? label.points : []).map((point) =>
      toLabel(point, [textElement("type", "points"), element("attributes", {}), textElement("parent", name)]),
    );
    return [toLabel(name, own), ...points];
  });
  return element("labels", {}, entries.join(""));
}
