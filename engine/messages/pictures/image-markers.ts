import {
  AnnotationList,
  readPaint,
  readPaints,
  readSize,
  type Annotations,
} from "@/engine/messages/pictures/annotation";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readText, toShortName, type Fields } from "@/engine/messages/reading";

/** `visualization_msgs/ImageMarker.type`. */
const types = ["circle", "strip", "list", "polygon", "points"] as const;
const removed = 1;

/** The markers of messages of the same moment: a later one of the same name replaces or removes an earlier one. */
export function readImageMarkers(schemaName: string, messages: readonly unknown[]): Annotations {
  const markers = messages.flatMap((message) => {
    const fields = readFields(message);
    return toShortName(schemaName).endsWith("Array") ? Array.from(readList(fields, "markers"), readFields) : [fields];
  });
  const shown = new Map<string, Fields>();
  for (const marker of markers) {
    const key = `${String(marker.id)} ${readText(marker, "ns")}`;
    shown.delete(key);
    if (Number(marker.action) !== removed) shown.set(key, marker);
  }
  const list = new AnnotationList();
  for (const marker of shown.values()) addMarker(list, marker);
  return list.finish(markers[0] ? readStamp(markers[0]) : null);
}

function addMarker(list: AnnotationList, marker: Fields): void {
  const stroke = readPaint(marker, "outline_color");
  const fill = marker.filled === 1 || marker.filled === true ? readPaint(marker, "fill_color") : null;
  const size = readSize(marker, "scale", 1);
  const colours = readPaints(marker, "outline_colors");
  const kind = types[Number(marker.type)];
  if (kind === "circle") {
    const at = list.place(marker.position);
    // Of circles `scale` is the diameter, of lines their width.
    if (at !== null) list.add({ kind: "circle", at, radius: size / 2, width: 1, stroke, fill });
    return;
  }
  const points = list.readPoints(readList(marker, "points"));
  if (kind === "points") list.add({ kind: "points", points, size, stroke, colours });
  else if (kind === "list") list.add({ kind: "lines", points: list.toPairs(points), width: size, stroke, colours });
  else if (kind !== undefined)
    list.add({ kind: "path", points, isClosed: kind === "polygon", width: size, stroke, fill });
}
