import { z } from "zod";

/** A small picture of a camera: where it lies in time, and in the object that holds all of a recording. */
const FilmFrame = z.object({
  time_ns: z.string(),
  offset: z.number().int(),
  length: z.number().int(),
});

/** The small pictures of a camera, by time; `reason`: why it has none. */
export const FilmCamera = z.object({ topic: z.string(), frames: z.array(FilmFrame), reason: z.string().optional() });
export type FilmCamera = z.infer<typeof FilmCamera>;

/** The small pictures of a recording, for its timeline. */
export interface Filmstrip {
  /** The version of the object, in addresses; empty without any picture. */
  version: string;
  cameras: FilmCamera[];
}
