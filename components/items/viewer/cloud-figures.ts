import type { Pose, Quaternion, Vector } from "@/engine/messages/pose";
import type { Colour, Figures, Shape } from "@/engine/messages/scene-object";
import { readVector, type ItemShape } from "./shapes";

/** A colour as style sheets write it, with an opacity. */
function toColour(hex: string, alpha: number): Colour {
  const value = Number.parseInt(/^#([0-9a-f]{6})$/i.exec(hex)?.[1] ?? "0ea5e9", 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255, alpha];
}

const toVector = ([x = 0, y = 0, z = 0]: number[]): Vector => [x, y, z];
const toQuaternion = ([x = 0, y = 0, z = 0, w = 1]: number[]): Quaternion => [x, y, z, w];

/** Where a cuboid is in its cloud, and how large; null for other shapes. */
export function readCuboid({ type, coordinates }: ItemShape): { pose: Pose; size: Vector } | null {
  if (type !== "cuboid") return null;
  const center = readVector(coordinates.center, ["x", "y", "z"]);
  const size = readVector(coordinates.size, ["x", "y", "z"]);
  const rotation = readVector(coordinates.rotation, ["x", "y", "z", "w"]);
  if (!center || !size || !rotation) return null;
  return { pose: { position: toVector(center), orientation: toQuaternion(rotation) }, size: toVector(size) };
}

/** The cuboids among shapes, as a scene draws them. */
export function listFigures(shapes: readonly ItemShape[]): Figures[] {
  return shapes.flatMap((shape): Figures[] => {
    const cuboid = readCuboid(shape);
    if (!cuboid) return [];
    const { id, label, colour } = shape;
    const { pose, size } = cuboid;
    const [x, y, z] = pose.position;
    const above = { ...pose, position: [x, y, z + size[2] / 2 + 0.3] as const };
    const solids: Shape[] = [
      { kind: "cube", size, pose, colour: toColour(colour, 0.3) },
      { kind: "text", text: label, height: 0.4, pose: above, colour: toColour(colour, 1) },
    ];
    return [{ kind: "figures", frame: "", stamp: null, name: id, shapes: solids, isLocked: false }];
  });
}
