import { Notes } from "@/engine/messages/notes";
import { AnnotationList, type Annotations, type PicturePoint } from "@/engine/messages/pictures/annotation";
import { projectEdge, type CameraView } from "@/engine/messages/pictures/camera-model";
import { chooseColour, describeBest, findBest, toScore } from "@/engine/messages/pictures/detections";
import {
  add,
  compose,
  readFrame,
  readPoseIn,
  readVector,
  rotate,
  type Pose,
  type Vector,
} from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readPart } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Colour, Shape } from "@/engine/messages/scene-object";

/** What a detector found in space. */
interface DetectedBox {
  /** Of its middle. */
  pose: Pose;
  /** Metres. */
  size: Vector;
  /** The likeliest class, which has a colour. */
  name: string;
  text: string;
  /** Missing where it is not said. */
  score?: number;
}

export interface DetectedBoxes {
  frame: string;
  stamp: bigint | null;
  boxes: DetectedBox[];
  notes: string[];
}

/** A message of vision_msgs/Detection3DArray, of any of its versions. Boxes without a place are counted. */
export function readBoxes(value: unknown): DetectedBoxes {
  const message = readFields(value);
  const notes = new Notes();
  const boxes = Array.from(readList(message, "detections"), readFields).flatMap((detection): DetectedBox[] => {
    const box = readPart(detection, "bbox");
    const pose = readPoseIn(box.center, notes);
    if (pose === null) return [];
    const best = findBest(detection);
    return [{ pose, size: readVector(box.size), name: best?.name ?? "", text: describeBest(best), ...toScore(best) }];
  });
  return { frame: readFrame(message), stamp: readStamp(message), boxes, notes: notes.list() };
}

/** The colour of a class, as a 3-D scene has it. */
function toColour(name: string, opacity: number): Colour {
  const [red = 0, green = 0, blue = 0] = chooseColour(name).match(/\d+/g)?.map(Number) ?? [];
  return [red / 255, green / 255, blue / 255, opacity];
}

/** The boxes of a message in space, each with its class and score above it. */
export function readDetectionBoxes(value: unknown): SceneMessage {
  const { frame, stamp, boxes, notes } = readBoxes(value);
  const shapes = boxes.flatMap(({ pose, size, name, text }): Shape[] => {
    const above = compose(pose, { position: [0, 0, size[2] / 2 + 0.15], orientation: [0, 0, 0, 1] });
    return [
      { kind: "cube", pose, size, colour: toColour(name, 0.35) },
      ...(text === "" ? [] : [{ kind: "text", pose: above, text, height: 0.2, colour: toColour(name, 1) } as const]),
    ];
  });
  return { objects: [{ kind: "figures", name: "detections", shapes, frame, stamp, isLocked: false }], notes };
}

/** The ends of the twelve edges of a box, in halves of its sizes. */
const edges = ([0, 1, 2] as const).flatMap((axis) =>
  [-1, 1].flatMap((a) =>
    [-1, 1].map((b): [Vector, Vector] => {
      const end = (along: number): Vector => {
        const parts = [a, b];
        parts.splice(axis, 0, along);
        return [parts[0]!, parts[1]!, parts[2]!];
      };
      return [end(-1), end(1)];
    }),
  ),
);

/** The boxes of a message as a camera sees them; `pose`: of their frame, seen from the camera's. */
export function projectBoxes({ boxes, stamp, notes }: DetectedBoxes, pose: Pose, camera: CameraView): Annotations {
  const list = new AnnotationList();
  for (const { pose: own, size, name, text, ...score } of boxes) {
    const stroke = chooseColour(name);
    const middle = compose(pose, own);
    const toPlace = (part: Vector): Vector =>
      add(
        middle.position,
        rotate(middle.orientation, [(part[0] * size[0]) / 2, (part[1] * size[1]) / 2, (part[2] * size[2]) / 2]),
      );
    const lines = edges.flatMap(([from, to]) => joinPieces(projectEdge(camera, toPlace(from), toPlace(to))));
    for (const points of lines)
      list.add({ kind: "path", points, isClosed: false, width: 2, stroke, fill: null, ...score });
    const all = lines.flat();
    if (text === "" || all.length === 0) continue;
    const at = { x: Math.min(...all.map(({ x }) => x)), y: Math.min(...all.map(({ y }) => y)) };
    list.add({ kind: "text", at, text, size: null, colour: "rgb(0 0 0 / 1)", background: stroke, ...score });
  }
  const annotations = list.finish(stamp);
  return { ...annotations, notes: [...notes, ...annotations.notes] };
}

/** Pieces that follow each other as lines. What is drawn over pictures begins at the edge of the first pixel. */
function joinPieces(pieces: readonly [u: number, v: number][][]): PicturePoint[][] {
  const lines: PicturePoint[][] = [];
  let end: [u: number, v: number] | null = null;
  for (const [from, to] of pieces) {
    if (from === undefined || to === undefined) continue;
    if (from !== end) lines.push([{ x: from[0] + 0.5, y: from[1] + 0.5 }]);
    lines.at(-1)?.push({ x: to[0] + 0.5, y: to[1] + 0.5 });
    end = to;
  }
  return lines;
}
