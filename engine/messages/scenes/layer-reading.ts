import type { ColourScale } from "@/engine/messages/colour-scale";
import { isMultiEchoSchema, isOdometrySchema, isValueGridSchema } from "@/engine/messages/scene-schemas";
import { isOccupancySchema } from "@/engine/messages/scenes/grid-update";

/** How a person chose that messages of a topic are read, where that decides what they show. */
export interface LayerReading {
  /** Of scans with several echoes of a beam: all of them, else the first. */
  allEchoes: boolean;
  /** Of odometry: its trail is coloured by speed. */
  bySpeed: boolean;
  /** Of occupancy grids: cells have the colours of costs, else those of a map. */
  isCostmap: boolean;
  /** Of other grids: the field that colours cells, or `rgb` for the colours of the message; null chooses. */
  colourBy: string | null;
  colourScale: ColourScale;
  /** The range of colours; null chooses. */
  min: number | null;
  max: number | null;
}

export const defaultReading: LayerReading = {
  allEchoes: false,
  bySpeed: true,
  isCostmap: false,
  colourBy: null,
  colourScale: "turbo",
  min: null,
  max: null,
};

/** What of it decides how messages of a schema are read; null where nothing does, so that nothing is read again. */
export function toReading(schemaName: string, reading: LayerReading): LayerReading | null {
  const { allEchoes, bySpeed, isCostmap, colourBy, colourScale, min, max } = reading;
  if (isMultiEchoSchema(schemaName)) return { ...defaultReading, allEchoes };
  if (isOdometrySchema(schemaName)) return { ...defaultReading, bySpeed };
  if (isOccupancySchema(schemaName)) return { ...defaultReading, isCostmap };
  return isValueGridSchema(schemaName) ? { ...defaultReading, colourBy, colourScale, min, max } : null;
}
