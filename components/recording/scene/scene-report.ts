import type { Vector } from "@/engine/messages/pose";
import type { FrameState } from "@/engine/messages/poses/transform-tree";
import type { MeshReport } from "./mesh-drawing";

/** What a scene shows of a topic. Times in nanoseconds since 1970. */
export interface LayerReport {
  topic: string;
  state: "shown" | "failed" | "none";
  /** The time of its last message, or of the one that failed. */
  time: bigint | null;
  /** For `none`, when it begins; null when it has no messages. */
  first: bigint | null;
  points: number;
  /** Fewer than `points` where some are isolated. */
  visiblePoints: number;
  /** Cells of grids in space that are filled. */
  voxels: number;
  objects: number;
  /** Why it, or a part of it, is not drawn. */
  reason: string | null;
  /** Why it, or a part of it, stands as in its own frame; null where transforms place it. */
  apart: string | null;
  notes: string[];
  meshes: MeshReport;
  /** What its points or cells are coloured by now; null for what has no choice. */
  colouredBy: string | null;
  /** What its points or cells may be coloured by. */
  fields: string[];
}

export interface SceneReport {
  moment: bigint | null;
  layers: LayerReport[];
  /** All topics of which something came, also those that are hidden. */
  found: string[];
  frames: FrameState[];
  problems: string[];
  fixedFrame: string | null;
  followFrame: string | null;
  /** Points that were drawn last; fewer than there are while the camera moves. */
  drawnPoints: number;
}

/** What is at a place of the picture. */
export interface ScenePick {
  /** Null for the ground. */
  topic: string | null;
  /** Metres, seen from the fixed frame. */
  place: Vector;
  fields: { name: string; value: number }[];
  name: string | null;
}
