import { readColour, readColours } from "@/engine/messages/colour";
import { Notes } from "@/engine/messages/notes";
import { readFrame, readPose, readVector } from "@/engine/messages/pose";
import { readDuration, readStamp } from "@/engine/messages/poses/stamp";
import {
  readBytes,
  readFields,
  readList,
  readNumber,
  readText,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";
import type { Shape } from "@/engine/messages/scene-object";
import type { FigureChange } from "@/engine/messages/scenes/figure-state";
import { readCornerGroups } from "@/engine/messages/scenes/figures";
import { isVisible } from "@/engine/messages/scenes/marker";
import { readMeshContent } from "@/engine/messages/scenes/mesh-content";

const maxPoints = 2_000_000;

const placed = (fields: Fields, notes: Notes) => ({
  pose: readPose(fields.pose, notes),
  colour: readColour(fields.color),
});

function readArrow(fields: Fields, notes: Notes): Shape {
  const length = (name: string) => readNumber(fields, name);
  const [shaft, head] = [
    [length("shaft_length"), length("shaft_diameter")] as const,
    [length("head_length"), length("head_diameter")] as const,
  ];
  return { kind: "arrow", shaft, head, ...placed(fields, notes) };
}

const readSolid =
  (kind: "cube" | "sphere" | "cylinder") =>
  (fields: Fields, notes: Notes): Shape => ({ kind, size: readVector(fields.size), ...placed(fields, notes) });

/** Points by their order, or by the indices that the message gives. */
function readCorners(fields: Fields, size: number, notes: Notes) {
  const list = readList(fields, "points");
  const indices = readList(fields, "indices");
  if (list.length > maxPoints || indices.length > maxPoints)
    throw new UnreadableMessage("A line or a mesh has more than 2,000,000 points.");
  const order = indices.length > 0 ? Array.from(indices, Number) : Array.from({ length: list.length }, (_, at) => at);
  const exists = (at: number) => Number.isInteger(at) && at >= 0 && at < list.length;
  notes.count(
    "index of a point that does not exist",
    "indices of points that do not exist",
    order.filter((at) => !exists(at)).length,
  );
  const given = readList(fields, "colors");
  // With a point that does not exist goes its piece of a line, or its triangle.
  const groups = Array.from({ length: Math.ceil(order.length / size) }, (_, at) =>
    order.slice(at * size, at * size + size),
  );
  const known = groups.filter((group) => group.every(exists)).flat();
  const { points, kept } = readCornerGroups(
    known.map((at) => list[at]),
    size,
    notes,
  );
  const hasColours = given.length > 0 && given.length === list.length;
  const colours = hasColours
    ? readColours(
        kept.map((at) => given[known[at]!]),
        kept.length,
      )
    : null;
  return { points, colours, ...placed(fields, notes) };
}

function readLine(fields: Fields, notes: Notes): Shape {
  // LINE_STRIP, LINE_LOOP, LINE_LIST
  const type =
    typeof fields.type === "string"
      ? ["LINE_STRIP", "LINE_LOOP", "LINE_LIST"].indexOf(fields.type)
      : Number(fields.type);
  if (type === 2) return { kind: "segments", ...readCorners(fields, 2, notes) };
  const { points, colours, ...rest } = readCorners(fields, 1, notes);
  if (type === 1 && points.length > 0) {
    const closed = new Float32Array([...points, ...points.subarray(0, 3)]);
    const own = colours && new Float32Array([...colours, ...colours.subarray(0, 4)]);
    return { kind: "line", points: closed, colours: own, ...rest };
  }
  return { kind: "line", points, colours, ...rest };
}

const readTriangles = (fields: Fields, notes: Notes): Shape => ({
  kind: "triangles",
  ...readCorners(fields, 3, notes),
});

const readLabel = (fields: Fields, notes: Notes): Shape => ({
  kind: "text",
  text: readText(fields, "text").slice(0, 500),
  height: readNumber(fields, "font_size"),
  ...placed(fields, notes),
});

/** A mesh of the robot's description or of the message itself: nothing is fetched for it. Else a box stands for it. */
function readModel(fields: Fields, notes: Notes): Shape {
  const pose = readPose(fields.pose, notes);
  const given = readVector(fields.scale);
  const isGiven = given.some((side) => side !== 0);
  const address = readText(fields, "url");
  const isPainted = fields.override_color === true;
  const grey = [0.6, 0.6, 0.65, 1] as const;
  const hasData = fields.data !== undefined && fields.data !== null;
  return {
    kind: "mesh",
    pose,
    address,
    content: hasData ? readMeshContent(readBytes(fields, "data"), readText(fields, "media_type"), address) : null,
    scale: isGiven ? given : [1, 1, 1],
    colour: isPainted ? readColour(fields.color) : grey,
    isPainted,
    turnsGltf: true,
    instead: [{ kind: "cube", size: isGiven ? given : [0.5, 0.5, 0.5], pose, colour: [0.6, 0.6, 0.65, 0.6] }],
  };
}

/** The lists of an entity, the name of one of their items, and what reads it. */
const parts: Readonly<Record<string, { one: string; read: (fields: Fields, notes: Notes) => Shape }>> = {
  arrows: { one: "arrow", read: readArrow },
  cubes: { one: "cube", read: readSolid("cube") },
  spheres: { one: "sphere", read: readSolid("sphere") },
  cylinders: { one: "cylinder", read: readSolid("cylinder") },
  lines: { one: "line", read: readLine },
  triangles: { one: "list of triangles", read: readTriangles },
  texts: { one: "text", read: readLabel },
  models: { one: "model", read: readModel },
};

function readShapes(entity: Fields, notes: Notes): Shape[] {
  return Object.entries(parts).flatMap(([many, { one, read }]) =>
    Array.from(readList(entity, many)).flatMap((each) => {
      try {
        return [read(readFields(each), notes)];
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        notes.count(`${one} not drawn: ${error.message}`, `${many} not drawn: ${error.message}`);
        return [];
      }
    }),
  );
}

/** What a `foxglove.SceneUpdate` changes: an entity replaces the one of its id. */
export function readSceneUpdate(value: unknown): { changes: FigureChange[]; notes: string[] } {
  const message = readFields(value);
  const notes = new Notes();
  const deletions = Array.from(readList(message, "deletions"), (each): FigureChange => {
    const fields = readFields(each);
    const isAll = fields.type === 1 || fields.type === "ALL";
    return isAll ? { action: "clear", prefix: "" } : { action: "remove", id: readText(fields, "id") };
  });
  const entities = Array.from(readList(message, "entities"), (each): FigureChange => {
    const entity = readFields(each);
    const id = readText(entity, "id");
    const shapes = readShapes(entity, notes);
    const place = { frame: readFrame(entity), stamp: readStamp(entity), isLocked: entity.frame_locked === true };
    const visible = shapes.filter(isVisible);
    const figures = { kind: "figures" as const, name: id, shapes: visible, ...place };
    const hidden = shapes.length - visible.length;
    const problem = hidden > 0 ? `nothing to see of ${hidden}, the opacity is 0` : null;
    return { action: "set", id, figures, problem, lifetime: readDuration(entity.lifetime) };
  });
  return { changes: [...deletions, ...entities], notes: notes.list() };
}
