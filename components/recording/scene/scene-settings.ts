import { defaultReading, type LayerReading } from "@/engine/messages/scenes/layer-reading";
import type { RobotPart } from "@/engine/robots/robot-parts";

/** How a topic of a scene is drawn. */
export interface LayerSettings extends LayerReading {
  isShown: boolean;
  /**
   * For clouds a field, `distance`, `rgb` for the colours of the message, or `flat`; for grids as they are read; null
   * chooses.
   */
  colourBy: string | null;
  /** Pixels of a point. */
  pointSize: number;
  /** Seconds that messages stay. */
  decay: number;
  /** Whether the points of a scan are joined. */
  isLine: boolean;
}

export const defaultLayer: LayerSettings = {
  ...defaultReading,
  isShown: true,
  pointSize: 2,
  decay: 0,
  isLine: false,
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
