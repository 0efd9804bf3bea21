import type { ColourScale } from "@/engine/messages/colour-scale";
import type { ValueRange } from "@/engine/messages/pictures/raw-pixels";

/** How a panel shows pictures: plain values, to be stored with a layout. None of it changes what was recorded. */
export interface PictureConfig {
  /** The colours of depth and other single values. */
  colour_scale: ColourScale;
  /** Null: that of most values of each picture. */
  range: ValueRange | null;
  /** Degrees clockwise. */
  rotation: 0 | 90 | 180 | 270;
  mirrored: boolean;
  /** 1: as recorded. */
  brightness: number;
  contrast: number;
  /** Whether the distortion of the lens is removed. */
  rectified: boolean;
  /** Topics drawn over the pictures; null: those of the same camera. */
  overlays: string[] | null;
  /** Seconds that what is drawn over pictures stays after its time; null for what is nearest to the picture. */
  hold: number | null;
  /** The width of its lines, in pixels of the picture; null as recorded. */
  line_width: number | null;
  /** Detections with a lower score are not drawn. */
  least_score: number;
  /** The cloud that is drawn over the pictures; null for none. */
  cloud: CloudConfig | null;
}

/** How a cloud is drawn over pictures. */
interface CloudConfig {
  topic: string;
  /** `distance` from the camera, a field, `rgb` for the colours of the message, or `flat`; null for the distance. */
  colour_by?: string | null | undefined;
  /** Pixels of the picture; without it, by the picture's size. */
  point_size?: number | undefined;
}

export const defaultPictureConfig: PictureConfig = {
  colour_scale: "turbo",
  range: null,
  rotation: 0,
  mirrored: false,
  brightness: 1,
  contrast: 1,
  rectified: false,
  overlays: null,
  hold: null,
  line_width: null,
  least_score: 0,
  cloud: null,
};

/** Whether colours differ from those that were recorded. */
export const isAdjusted = ({ brightness, contrast }: PictureConfig): boolean => brightness !== 1 || contrast !== 1;

/** A quarter to the right. */
export const turnRight = (rotation: PictureConfig["rotation"]): PictureConfig["rotation"] =>
  ({ 0: 90, 90: 180, 180: 270, 270: 0 } as const)[rotation];
