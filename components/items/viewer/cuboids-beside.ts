import { readCalibration } from "@/engine/messages/pictures/calibration";
import { CameraView, checkCalibratedSize, projectEdge } from "@/engine/messages/pictures/camera-model";
import { add, compose, invert, rotate, type Pose, type Quaternion, type Vector } from "@/engine/messages/pose";
import { UnreadableMessage } from "@/engine/messages/reading";
import { readCuboid } from "./cloud-figures";
import { readVector, type ItemShape } from "./shapes";

/** A cuboid of a cloud as a camera sees it: a path in pixels of its picture. */
export interface SeenCuboid {
  id: string;
  label: string;
  colour: string;
  path: string;
}

/** What is known of a picture, and of how its camera saw it. */
export interface CalibratedPicture {
  /** The topic or the view of its camera. */
  camera: string;
  width: number;
  height: number;
  /** As messages of cameras have it; null where none is known. */
  calibration: unknown;
  /** Where the camera's optical frame is. */
  pose: unknown;
}

interface FramedPose {
  frame: string;
  pose: Pose;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A pose of an item's metadata; null for what is none. */
function readPose(value: unknown): FramedPose | null {
  if (!isRecord(value)) return null;
  const position = readVector(value.position, ["x", "y", "z"]);
  const orientation = readVector(value.orientation, ["x", "y", "z", "w"]);
  if (!position || !orientation) return null;
  const [x = 0, y = 0, z = 0] = position;
  const [qx = 0, qy = 0, qz = 0, qw = 1] = orientation;
  const length = Math.hypot(qx, qy, qz, qw);
  if (!(length > 1e-9)) return null;
  const turned: Quaternion = [qx / length, qy / length, qz / length, qw / length];
  return {
    frame: typeof value.frame_id === "string" ? value.frame_id : "",
    pose: { position: [x, y, z], orientation: turned },
  };
}

/** Where the cloud is, seen from the camera; null where they have no frame in common. */
function relate(cloud: unknown, camera: unknown): Pose | null {
  const seen = readPose(camera);
  if (!seen) return null;
  const own = readPose(cloud);
  // Of a cloud that says nothing, the camera is seen from the cloud itself.
  if (!own) return invert(seen.pose);
  return own.frame === seen.frame ? compose(invert(seen.pose), own.pose) : null;
}

/** The edges of a box from −½ to ½, by their ends. */
const edges: readonly (readonly [Vector, Vector])[] = [0, 1, 2].flatMap((axis) =>
  [-0.5, 0.5].flatMap((a) =>
    [-0.5, 0.5].map((b): readonly [Vector, Vector] => {
      const end = (along: number): Vector => {
        const place: [number, number, number] = [a, a, a];
        place[axis] = along;
        place[(axis + 1) % 3] = a;
        place[(axis + 2) % 3] = b;
        return place;
      };
      return [end(-0.5), end(0.5)];
    }),
  ),
);

const round = (value: number): number => Math.round(value * 10) / 10;

/** The pieces of a cuboid's edges that are in the picture or near it. */
function drawEdges(view: CameraView, { pose, size }: { pose: Pose; size: Vector }): string {
  const { width, height } = view.calibration;
  const place = (at: Vector): Vector =>
    add(pose.position, rotate(pose.orientation, [at[0] * size[0], at[1] * size[1], at[2] * size[2]]));
  // What is far outside is not seen, and would make numbers that no browser draws.
  const isNear = ([u, v]: readonly number[]) =>
    u !== undefined && v !== undefined && u > -width && u < 2 * width && v > -height && v < 2 * height;
  const parts = edges
    .flatMap(([from, to]) => projectEdge(view, place(from), place(to)))
    .filter(([from, to]) => from && to && isNear(from) && isNear(to));
  const isSeen = parts.some((part) => part.some(([u, v]) => u >= 0 && v >= 0 && u < width && v < height));
  if (!isSeen) return "";
  // The middle of the first pixel is half a pixel from the edge of the picture.
  return parts
    .map(
      ([from, to]) =>
        `M${round((from?.[0] ?? 0) + 0.5)} ${round((from?.[1] ?? 0) + 0.5)}L${round((to?.[0] ?? 0) + 0.5)} ${round((to?.[1] ?? 0) + 0.5)}`,
    )
    .join("");
}

/**
 * The cuboids among the shapes of a cloud that a camera sees, by its calibration and the place of both; a text that says
 * why that is not known, and null where the picture has no calibration.
 */
export function seeCuboids(
  shapes: readonly ItemShape[],
  cloudPose: unknown,
  { camera, width, height, calibration, pose }: CalibratedPicture,
): SeenCuboid[] | string | null {
  if (!isRecord(calibration)) return null;
  try {
    const read = readCalibration(calibration);
    checkCalibratedSize(read, width, height);
    const fromCloud = relate(cloudPose, pose);
    if (!fromCloud) return "The place of the camera is not known.";
    const view = new CameraView(read, /image_rect/.test(camera));
    return shapes.flatMap((shape): SeenCuboid[] => {
      const cuboid = readCuboid(shape);
      const path = cuboid ? drawEdges(view, { ...cuboid, pose: compose(fromCloud, cuboid.pose) }) : "";
      return path === "" ? [] : [{ id: shape.id, label: shape.label, colour: shape.colour, path }];
    });
  } catch (error) {
    if (error instanceof UnreadableMessage) return error.message;
    throw error;
  }
}
