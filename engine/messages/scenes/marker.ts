import { readColour, readColours } from "@/engine/messages/colour";
import { countThings, Notes } from "@/engine/messages/notes";
import { multiply, readFrame, readPose, readVector, rotate, type Vector } from "@/engine/messages/pose";
import { readDuration, readStamp } from "@/engine/messages/poses/stamp";
import {
  readBytes,
  readFields,
  readList,
  readNumber,
  readPart,
  readText,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";
import type { Shape } from "@/engine/messages/scene-object";
import type { FigureChange } from "@/engine/messages/scenes/figure-state";
import { readCornerGroups, readPoints, toArrow, turnTo } from "@/engine/messages/scenes/figures";
import { readMeshContent } from "@/engine/messages/scenes/mesh-content";

/** Corners of all lines, points and triangles of a marker that are drawn. */
const maxPoints = 2_000_000;

type ReadMarker = (marker: Fields, size: Vector, notes: Notes) => Shape[];

const solid =
  (kind: "cube" | "sphere" | "cylinder"): ReadMarker =>
  (marker, size, notes) => [{ kind, size, pose: readPose(marker.pose, notes), colour: readColour(marker.color) }];

/** A list of the same solids at the marker's points. */
const solids =
  (kind: "cube" | "sphere"): ReadMarker =>
  (marker, size, notes) => {
    const { points, colours, pose, colour } = readCorners(marker, 1, notes);
    return Array.from({ length: Math.min(10_000, points.length / 3) }, (_, at): Shape => {
      const place: Vector = [points[at * 3]!, points[at * 3 + 1]!, points[at * 3 + 2]!];
      const turned = rotate(pose.orientation, place);
      const position: Vector = [
        pose.position[0] + turned[0],
        pose.position[1] + turned[1],
        pose.position[2] + turned[2],
      ];
      const [red = colour[0], green = colour[1], blue = colour[2], alpha = colour[3]] =
        colours?.subarray(at * 4, at * 4 + 4) ?? colour;
      return { kind, size, pose: { position, orientation: pose.orientation }, colour: [red, green, blue, alpha] };
    });
  };

/** Lines and triangles; corners that do not complete one are left out and counted. */
const lines =
  (kind: "line" | "segments" | "triangles" | "points", corners: number): ReadMarker =>
  (marker, size, notes) => {
    const read = readCorners(marker, corners, notes);
    // Triangles and points may be scaled.
    if (kind === "triangles") for (let at = 0; at < read.points.length; at++) read.points[at]! *= size[at % 3]! || 1;
    return [{ kind, ...read }];
  };

function readCorners(marker: Fields, corners: number, notes: Notes) {
  const list = readList(marker, "points");
  if (list.length > maxPoints)
    throw new UnreadableMessage(
      `The marker has ${list.length.toLocaleString("en")} points; at most 2,000,000 are drawn.`,
    );
  const { points, kept } = readCornerGroups(list, corners, notes);
  const given = readList(marker, "colors");
  const hasColours = given.length > 0 && given.length === list.length;
  if (given.length > 0 && !hasColours)
    notes.add(
      `${countThings(list.length, "point", "points")} of a marker, but ${countThings(given.length, "colour", "colours")}`,
    );
  const colours = hasColours
    ? readColours(
        kept.map((at) => given[at]),
        kept.length,
      )
    : null;
  return { points, colours, pose: readPose(marker.pose, notes), colour: readColour(marker.color) };
}

/** From a point to another where the marker has two, else along x. */
const arrow: ReadMarker = (marker, size, notes) => {
  const [pose, colour] = [readPose(marker.pose, notes), readColour(marker.color)];
  const points = readPoints(readList(marker, "points"), notes);
  if (points.length < 6)
    return [{ ...toArrow(pose, size[0], colour), ...measureArrow(size[0], size[1], size[1] * 2, 0) }];
  const [x, y, z, x2, y2, z2] = points as unknown as [number, number, number, number, number, number];
  const direction: Vector = [x2 - x, y2 - y, z2 - z];
  const start = rotate(pose.orientation, [x, y, z]);
  const position: Vector = [pose.position[0] + start[0], pose.position[1] + start[1], pose.position[2] + start[2]];
  const orientation = multiply(pose.orientation, turnTo(direction));
  const along = measureArrow(Math.hypot(...direction), size[0], size[1], size[2]);
  return [{ ...toArrow({ position, orientation }, 1, colour), ...along }];
};

/** A head of length 0 takes a quarter. */
function measureArrow(length: number, width: number, headWidth: number, headLength: number) {
  const head = Math.min(length, headLength || length * 0.23);
  return { shaft: [length - head, width] as const, head: [head, headWidth] as const };
}

const text: ReadMarker = (marker, size, notes) => [
  {
    kind: "text",
    text: readText(marker, "text").slice(0, 500),
    height: size[2],
    pose: readPose(marker.pose, notes),
    colour: readColour(marker.color),
  },
];

/** A mesh of the robot's description, or of the message itself: nothing is fetched for it. */
const mesh: ReadMarker = (marker, size, notes) => {
  const pose = readPose(marker.pose, notes);
  const address = readText(marker, "mesh_resource");
  const name = address.split("/").at(-1)?.slice(0, 80) ?? "";
  const file = readPart(marker, "mesh_file");
  const colour = readColour(marker.color);
  const ownColours = marker.mesh_use_embedded_materials === true;
  const grey = [0.6, 0.6, 0.65, 1] as const;
  return [
    {
      kind: "mesh",
      pose,
      address,
      content: "data" in file ? readMeshContent(readBytes(file, "data"), "", readText(file, "filename") || name) : null,
      scale: size.some((side) => side !== 0) ? size : [1, 1, 1],
      colour: ownColours && colour[3] === 0 ? grey : colour,
      isPainted: !ownColours,
      turnsGltf: false,
      instead: [
        { kind: "cube", size: [0.3, 0.3, 0.3], pose, colour: [0.6, 0.6, 0.65, 0.6] },
        { kind: "text", text: name, height: 0.15, pose, colour: grey },
      ],
    },
  ];
};

/** By `type` of visualization_msgs/Marker. */
const types: readonly ReadMarker[] = [
  arrow,
  solid("cube"),
  solid("sphere"),
  solid("cylinder"),
  lines("line", 1),
  lines("segments", 2),
  solids("cube"),
  solids("sphere"),
  lines("points", 1),
  text,
  mesh,
  lines("triangles", 3),
];

/** What a `visualization_msgs/Marker` changes. Throws UnreadableMessage for one that cannot be drawn. */
function readMarker(value: unknown, notes: Notes): FigureChange {
  const marker = readFields(value);
  const [namespace, action] = [readText(marker, "ns"), readNumber(marker, "action")];
  // Names of namespaces may hold anything else.
  const id = `${namespace}\0${String(marker.id ?? 0)}`;
  if (action === 3) return { action: "clear", prefix: namespace === "" ? "" : `${namespace}\0` };
  if (action === 2) return { action: "remove", id };
  if (action !== 0) throw new UnreadableMessage(`The action ${action} of a marker is not known.`);
  const type = readNumber(marker, "type");
  const read = types[type];
  const name = `${namespace} ${String(marker.id ?? 0)}`.trim();
  const placed = { frame: readFrame(marker), stamp: readStamp(marker), isLocked: marker.frame_locked === true };
  const lifetime = readDuration(marker.lifetime);
  const set = (shapes: Shape[], problem: string | null): FigureChange => ({
    action: "set",
    id,
    lifetime,
    problem,
    figures: { kind: "figures", name, shapes, ...placed },
  });
  if (read === undefined) return set([], `${type === 12 ? "ARROW_STRIP" : "the unknown type"} (${type}) is not drawn`);
  const size = readVector(marker.scale);
  // Meshes take 0 for 1, and texts have a height only.
  const hasSize = type === 10 || (type === 9 ? size[2] !== 0 : size.some((side) => side !== 0));
  if (!hasSize) return set([], "nothing to see, the scale is 0");
  const shapes = read(marker, size, notes);
  const visible = shapes.filter(isVisible);
  if (shapes.length > 0 && visible.length === 0) return set([], "nothing to see, the opacity is 0");
  if (shapes.every((shape) => "points" in shape && shape.points.length === 0))
    return set([], "nothing to see, it has no points");
  return set(visible, hasTexture(marker) ? "drawn without its texture" : null);
}

/** Whether any of it is not transparent. */
export const isVisible = (shape: Shape): boolean =>
  "colours" in shape && shape.colours !== null
    ? shape.colours.some((part, at) => at % 4 === 3 && part > 0)
    : shape.colour[3] > 0;

/** Whether a marker of triangles brings a picture for them. */
function hasTexture(marker: Fields): boolean {
  const texture = readPart(marker, "texture");
  const hasBytes = texture.data !== undefined && readBytes(texture, "data").length > 0;
  return hasBytes || readText(marker, "texture_resource") !== "";
}

/** The markers of a `MarkerArray`, or of one. One that cannot be drawn is counted with its reason. */
export function readMarkers(value: unknown): { changes: FigureChange[]; notes: string[] } {
  const message = readFields(value);
  const notes = new Notes();
  const list = "markers" in message ? Array.from(readList(message, "markers")) : [message];
  const changes = list.flatMap((each) => {
    try {
      return [readMarker(each, notes)];
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      notes.count(`marker not drawn: ${error.message}`, `markers not drawn: ${error.message}`);
      return [];
    }
  });
  return { changes, notes: notes.list() };
}
