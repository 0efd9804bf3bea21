import type { Point } from "@/domain/annotations/geometry";
import type { Wire } from "./magnet-wire";

export interface MagnetState {
  tool: "magnet";
  /** The line between each two presses, simplified; the first one is the first press alone. */
  legs: readonly (readonly Point[])[];
  /** Where the pointer is. */
  next: Point | null;
  /** Whether the line ends there, and not on an edge nearby: it is a place of another shape. */
  isExact: boolean;
  /** The lines that begin at the last press. */
  wire: Wire | null;
}

export const idle: MagnetState = { tool: "magnet", legs: [], next: null, isExact: false, wire: null };

/** The points that are drawn, each once. */
export const listPoints = ({ legs }: MagnetState): Point[] => legs.flat();
