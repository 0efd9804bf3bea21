import {
  AnnotationList,
  readPaint,
  readPaints,
  readSize,
  type Annotations,
} from "@/engine/messages/pictures/annotation";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readText, type Fields } from "@/engine/messages/reading";

/** What the points of an annotation are, by the numbers of `foxglove.PointsAnnotation.type`. */
const pointTypes = ["UNKNOWN", "POINTS", "LINE_LOOP", "LINE_STRIP", "LINE_LIST"];
type PointType = "POINTS" | "LINE_LOOP" | "LINE_STRIP" | "LINE_LIST";

const readType = ({ type }: Fields): string =>
  typeof type === "string" ? type : (pointTypes[Number(type)] ?? "UNKNOWN");

/** A message of foxglove.ImageAnnotations. */
export function readImageAnnotations(value: unknown): Annotations {
  const fields = readFields(value);
  const list = new AnnotationList();
  const parts = (name: string): Fields[] => Array.from(readList(fields, name), readFields);
  const [circles, points, texts] = [parts("circles"), parts("points"), parts("texts")];
  for (const circle of circles) {
    const at = list.place(circle.position);
    if (at === null) continue;
    const style = { stroke: readPaint(circle, "outline_color"), fill: readPaint(circle, "fill_color") };
    list.add({
      kind: "circle",
      at,
      radius: readSize(circle, "diameter", 1) / 2,
      width: readSize(circle, "thickness", 1),
      ...style,
    });
  }
  for (const each of points) addPoints(list, each);
  for (const text of texts) {
    const at = list.place(text.position);
    if (at === null) continue;
    list.add({
      kind: "text",
      at,
      text: readText(text, "text"),
      size: readSize(text, "font_size", null),
      colour: readPaint(text, "text_color"),
      background: readPaint(text, "background_color"),
    });
  }
  const [first] = [...circles, ...points, ...texts];
  return list.finish(readStamp(fields) ?? (first ? readStamp(first) : null));
}

function addPoints(list: AnnotationList, fields: Fields): void {
  const points = list.readPoints(readList(fields, "points"));
  const width = readSize(fields, "thickness", 1);
  const stroke = readPaint(fields, "outline_color");
  const colours = readPaints(fields, "outline_colors");
  switch (readType(fields) as PointType) {
    case "POINTS":
      return list.add({ kind: "points", points, size: width, stroke, colours });
    case "LINE_LIST":
      return list.add({ kind: "lines", points: list.toPairs(points), width, stroke, colours });
    case "LINE_LOOP":
      return list.add({ kind: "path", points, isClosed: true, width, stroke, fill: readPaint(fields, "fill_color") });
    case "LINE_STRIP":
      return list.add({ kind: "path", points, isClosed: false, width, stroke, fill: null });
    default: // nothing is said of how to draw it
  }
}
