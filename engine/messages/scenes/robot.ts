import { Notes } from "@/engine/messages/notes";
import { compose, fromAngles, identity, type Pose, type Quaternion, type Vector } from "@/engine/messages/pose";
import type { Transform } from "@/engine/messages/poses/transforms";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { Colour, Shape } from "@/engine/messages/scene-object";
import { parseXml, type XmlElement } from "@/engine/messages/scenes/xml";
import type { RobotPart } from "@/engine/robots/robot-parts";

interface Joint {
  name: string;
  kind: "turns" | "slides" | "fixed";
  parent: string;
  child: string;
  origin: Pose;
  axis: Vector;
  /** Radians or metres; null without limits. */
  limit: { lower: number; upper: number } | null;
  mimic: { joint: string; multiplier: number; offset: number } | null;
}

/** A robot as its description draws it. */
export interface Robot {
  name: string;
  links: { name: string; shapes: Shape[] }[];
  joints: Joint[];
  notes: string[];
}

const maxLinks = 10_000;
const plain: Colour = [0.7, 0.72, 0.75, 1];

/** Reads a robot's description (URDF). Throws UnreadableMessage when it is none. */
export function readRobot(text: string, part: RobotPart = "visual"): Robot {
  const root = parseXml(text);
  if (root.name !== "robot") throw new UnreadableMessage(`The description is of "${root.name}", not of a robot.`);
  const notes = new Notes();
  const links = listChildren(root, "link");
  const joints = listChildren(root, "joint").filter((each) => findChild(each, "parent") !== null);
  if (links.length > maxLinks || joints.length > maxLinks)
    throw new UnreadableMessage(
      `The robot has ${links.length} links and ${joints.length} joints; at most 10,000 are drawn.`,
    );
  const materials = new Map<string, Colour>();
  for (const material of listChildren(root, "material")) {
    const colour = readMaterial(material, materials);
    if (colour) materials.set(readText(material, "name"), colour);
  }
  const drawn = links.map((link) => ({
    name: readText(link, "name"),
    shapes: part === "visual" ? readVisuals(link, materials, notes) : readCollisions(link, notes),
  }));
  return { name: readText(root, "name"), links: drawn, joints: joints.map(readJoint), notes: notes.list() };
}

/** The addresses of the meshes that a robot names, each once. */
export function listMeshes({ links }: Robot): string[] {
  const list = (shapes: readonly Shape[]): string[] =>
    shapes.flatMap((shape) => (shape.kind === "mesh" ? [shape.address, ...list(shape.instead)] : []));
  return [...new Set(links.flatMap(({ shapes }) => list(shapes)))];
}

/** What a link looks like; its collision shapes where its mesh is missing. */
function readVisuals(link: XmlElement, materials: Map<string, Colour>, notes: Notes): Shape[] {
  const shapes = listChildren(link, "visual").flatMap((visual) => {
    const material = findChild(visual, "material");
    const shape = readGeometry(visual, (material && readMaterial(material, materials)) ?? plain, notes);
    return shape ? [shape] : [];
  });
  const [first] = shapes;
  // Once for all meshes of a link, and not beside what else it looks like.
  if (first?.kind === "mesh" && shapes.every(({ kind }) => kind === "mesh"))
    first.instead.push(...readCollisions(link, notes));
  return shapes;
}

function readCollisions(link: XmlElement, notes: Notes): Shape[] {
  return listChildren(link, "collision").flatMap((each) => readGeometry(each, plain, notes) ?? []);
}

/** A shape; null for nothing that is known. */
function readGeometry(holder: XmlElement, colour: Colour, notes: Notes): Shape | null {
  const geometry = findChild(holder, "geometry")?.children[0];
  if (geometry === undefined) return null;
  const pose = readOrigin(holder);
  switch (geometry.name) {
    case "box":
      return { kind: "cube", pose, colour, size: readVector(geometry, "size", [0, 0, 0]) };
    case "sphere": {
      const width = 2 * readNumber(geometry, "radius", 0);
      return { kind: "sphere", pose, colour, size: [width, width, width] };
    }
    case "cylinder":
    case "capsule": {
      const width = 2 * readNumber(geometry, "radius", 0);
      return { kind: "cylinder", pose, colour, size: [width, width, readNumber(geometry, "length", 0)] };
    }
    case "mesh":
      return {
        kind: "mesh",
        pose,
        colour,
        address: readText(geometry, "filename"),
        content: null,
        scale: readVector(geometry, "scale", [1, 1, 1]),
        isPainted: false,
        turnsGltf: false,
        instead: [],
      };
    default:
      const name = `"${geometry.name.slice(0, 40)}"`;
      notes.count(`shape ${name}, which is not known`, `shapes ${name}, which are not known`);
      return null;
  }
}

function readMaterial(material: XmlElement, known: ReadonlyMap<string, Colour>): Colour | null {
  const colour = findChild(material, "color");
  const parts = colour ? readText(colour, "rgba").trim().split(/\s+/).map(Number) : [];
  const [red = NaN, green = NaN, blue = NaN, alpha = 1] = parts;
  if ([red, green, blue, alpha].every((part) => Number.isFinite(part))) return [red, green, blue, alpha];
  return known.get(readText(material, "name")) ?? null;
}

function readJoint(joint: XmlElement): Joint {
  const type = readText(joint, "type");
  const [limit, mimic] = [findChild(joint, "limit"), findChild(joint, "mimic")];
  const axis = findChild(joint, "axis");
  const isLimited = type !== "continuous" && limit !== null;
  return {
    name: readText(joint, "name"),
    kind: type === "revolute" || type === "continuous" ? "turns" : type === "prismatic" ? "slides" : "fixed",
    parent: readText(findChild(joint, "parent"), "link"),
    child: readText(findChild(joint, "child"), "link"),
    origin: readOrigin(joint),
    axis: axis ? readVector(axis, "xyz", [1, 0, 0]) : [1, 0, 0],
    limit: isLimited ? { lower: readNumber(limit, "lower", 0), upper: readNumber(limit, "upper", 0) } : null,
    mimic: mimic && {
      joint: readText(mimic, "joint"),
      multiplier: readNumber(mimic, "multiplier", 1),
      offset: readNumber(mimic, "offset", 0),
    },
  };
}

/** Where the links are, seen from their parents, when joints are at these places (radians, metres). */
export function placeLinks(
  robot: Robot,
  places: ReadonlyMap<string, number>,
): { transforms: Transform[]; notes: string[] } {
  const notes = new Notes();
  const transforms = robot.joints.map(({ parent, child, origin, ...joint }) => {
    const wanted = joint.mimic
      ? (places.get(joint.mimic.joint) ?? 0) * joint.mimic.multiplier + joint.mimic.offset
      : (places.get(joint.name) ?? 0);
    const place = joint.limit ? Math.max(joint.limit.lower, Math.min(joint.limit.upper, wanted)) : wanted;
    if (Math.abs(place - wanted) > 1e-3)
      notes.count("joint beyond its limits, drawn at them", "joints beyond their limits, drawn at them");
    return { parent, child, stamp: null, pose: compose(origin, move(joint, place)) };
  });
  const known = new Set(robot.joints.map(({ name }) => name));
  const unknown = [...places.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0)
    notes.add(
      `joints that the robot does not have: ${unknown.slice(0, 5).join(", ")}${unknown.length > 5 ? `, and ${unknown.length - 5} more` : ""}`,
    );
  return { transforms, notes: notes.list() };
}

function move({ kind, axis }: Pick<Joint, "kind" | "axis">, place: number): Pose {
  const length = Math.hypot(...axis);
  if (kind === "fixed" || length === 0) return identity;
  const [x, y, z] = [axis[0] / length, axis[1] / length, axis[2] / length];
  if (kind === "slides") return { position: [x * place, y * place, z * place], orientation: identity.orientation };
  const sine = Math.sin(place / 2);
  const orientation: Quaternion = [x * sine, y * sine, z * sine, Math.cos(place / 2)];
  return { position: [0, 0, 0], orientation };
}

function readOrigin(holder: XmlElement): Pose {
  const origin = findChild(holder, "origin");
  if (origin === null) return identity;
  return {
    position: readVector(origin, "xyz", [0, 0, 0]),
    orientation: fromAngles(...readVector(origin, "rpy", [0, 0, 0])),
  };
}

const listChildren = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);
const findChild = ({ children }: XmlElement, name: string): XmlElement | null =>
  children.find((child) => child.name === name) ?? null;
const readText = (element: XmlElement | null, name: string): string => element?.attributes.get(name) ?? "";

function readNumber(element: XmlElement, name: string, absent: number): number {
  const text = readText(element, name);
  const number = text.trim() === "" ? absent : Number(text);
  if (!Number.isFinite(number)) throw new UnreadableMessage(`The attribute ${name} of ${element.name} is no number.`);
  return number;
}

function readVector(element: XmlElement, name: string, absent: Vector): Vector {
  const parts = readText(element, name).trim().split(/\s+/).filter(Boolean).map(Number);
  if (parts.length === 0) return absent;
  const [x = NaN, y = NaN, z = NaN] = parts;
  if (![x, y, z].every((part) => Number.isFinite(part)))
    throw new UnreadableMessage(`The attribute ${name} of ${element.name} is not three numbers.`);
  return [x, y, z];
}
