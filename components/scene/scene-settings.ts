import { defaultReading, type LayerReading } from "@/engine/messages/layer-reading";
import type { RobotPart } from "@/engine/robots/robot-parts";

/** How a topic of a scene is drawn. */
export interface LayerSettings {
  isShown: boolean;
  /** Of clouds: a field, `distance`, `rgb` for the colours of the message, or `flat`; null chooses. */
  colourBy: string | null;
  /** The range of colours; null chooses. */
  min: number | null;
  max: number | null;
  /** Pixels of a point. */
  pointSize: number;
  /** Seconds that messages stay. */
  decay: number;
  /** Of scans: their points are joined. */
  isLine: boolean;
  /** How its messages are read. */
  reading: LayerReading;
}

export const defaultLayer: LayerSettings = {
  isShown: true,
  colourBy: null,
  min: null,
  max: null,
  pointSize: 2,
  decay: 0,
  isLine: false,
  reading: defaultReading,
};

/** Whether the camera moves with a frame: with its turns, only along, or not. */
export const followModes = ["pose", "position", "fixed"] as const;
export type FollowMode = (typeof followModes)[number];

export interface SceneSettings {
  layers: Readonly<Record<string, LayerSettings>>;
  /** Null chooses. */
  fixedFrame: string | null;
  followFrame: string | null;
  follow: FollowMode;
  isTop: boolean;
  showFrames: boolean;
  /** What is drawn of robots. */
  robotPart: RobotPart;
}

/** Colours of the page, as three reads them. */
export interface SceneTheme {
  background: string;
  grid: string;
  text: string;
}
