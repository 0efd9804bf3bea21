import type { ReadTransforms } from "@/engine/messages/poses/transform-tree";
import type { Transform } from "@/engine/messages/poses/transforms";
import type { Figures, SceneObject } from "@/engine/messages/scene-object";
import type { LayerReading } from "@/engine/messages/scenes/layer-reading";
import type { RobotPart } from "@/engine/robots/robot-parts";
import type { RobotFiles } from "./mesh-parts";

/** A topic of a recording that a scene may show. */
export interface SceneTopic {
  name: string;
  schema: string;
  /** As text beyond what a number holds. */
  message_count: number | string;
  frequency_hz: number;
}

/** A topic that a scene shows, and for how many seconds its messages stay. */
export interface ShownTopic {
  topic: string;
  decay: number;
  /** Null for messages that can be read in one way only. */
  reading: LayerReading | null;
}

/** What the recording's thread sends to a scene's thread. Times in nanoseconds since 1970. */
export type SceneFeed =
  /** A message; it stays until `remove` names it. Stamps of its objects are set. */
  | { type: "message"; topic: string; time: bigint; objects: SceneObject[]; notes: string[] }
  | { type: "remove"; topic: string; times: bigint[] }
  /** Everything that a topic of markers or entities shows now. */
  | { type: "figures"; topic: string; time: bigint; figures: Figures[]; notes: string[] }
  | { type: "failed"; topic: string; time: bigint | null; reason: string }
  | { type: "none"; topic: string; first: bigint | null }
  /** With `isJump` all that moved before is forgotten. */
  | ({ type: "transforms" } & ReadTransforms)
  /** Where the joints of robots are: for links that no transform places. */
  | { type: "joints"; list: Transform[]; notes: string[] }
  /** Everything for this moment has been sent. The scene answers with `SceneDrawn`. */
  | { type: "moment"; at: bigint };

/** The scene has drawn what was sent, and takes more. */
export type SceneDrawn = "drawn";

/** What a page holds of a feed. */
export interface SceneFeeder {
  setTopics: (topics: readonly ShownTopic[]) => void;
  /** Draws robots so; `files`: a description for recordings that bring none; null when there is none. */
  setRobot: (files: RobotFiles | null, part: RobotPart) => void;
  end: () => void;
}

/** A recording that can be shown in a scene. */
export interface SceneSource {
  /** Sends the objects of topics through a port; `onFailure` when the recording cannot be read. */
  showScene: (topics: readonly SceneTopic[], port: MessagePort, onFailure: (reason: string) => void) => SceneFeeder;
  /** Moves the playhead to a moment, in nanoseconds since 1970. */
  goTo: (at: bigint) => void;
}
