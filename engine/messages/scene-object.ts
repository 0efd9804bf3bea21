import type { Pose, Vector } from "@/engine/messages/pose";
import type { MeshFormat } from "@/engine/robots/robot-files";

/** Red, green, blue and opacity, 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** A solid, a line or a text of a 3-D scene. Sizes in metres; solids have their middle at their place. */
export type Shape = { pose: Pose; colour: Colour } & (
  | { kind: "cube" | "sphere" | "cylinder" | "cone"; size: Vector }
  /** Along x from its place: the shaft's length and width, the head's. */
  | { kind: "arrow"; shaft: readonly [length: number, width: number]; head: readonly [length: number, width: number] }
  /** Along x, y and z. */
  | { kind: "axes"; length: number }
  | { kind: "text"; text: string; height: number }
  | {
      /** `line` joins all points, `segments` each two, `triangles` each three. */
      kind: "line" | "segments" | "triangles" | "points";
      /** x, y and z of each. */
      points: Float32Array;
      /** Red, green, blue and opacity of each; null for `colour`. */
      colours: Float32Array | null;
    }
  | {
      kind: "mesh";
      /** Names its file, which is looked for in the robot's description; a name alone where the message has the bytes. */
      address: string;
      /** What the message holds itself; null for a file. */
      content: MeshContent | null;
      scale: Vector;
      /** Whether `colour` replaces colours that the mesh has; else it is that of parts without any. */
      isPainted: boolean;
      /** Whether the y axis of a glTF, which is up, becomes z: Foxglove draws it so, ROS draws its axes as they are. */
      turnsGltf: boolean;
      /** Drawn where the mesh is missing or cannot be read, in the frame of the object. */
      instead: Shape[];
    }
);

/** A mesh that a message carries. */
export interface MeshContent {
  /** The same for the same bytes. */
  key: string;
  format: MeshFormat | null;
  /** Null where they were sent before. */
  bytes: Uint8Array | null;
}

/** What a message places in a frame. */
interface Placed {
  /** Empty: nobody said. */
  frame: string;
  /** When its place is seen from that frame, nanoseconds since 1970; null: when it was logged. */
  stamp: bigint | null;
}

export interface Figures extends Placed {
  kind: "figures";
  /** Names it where a person picks it. */
  name: string;
  shapes: Shape[];
  /** Whether it moves with its frame afterwards. */
  isLocked: boolean;
}

export type NumberType = "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "float32" | "float64";

/** A number of each point or cell. */
export interface PackedField {
  name: string;
  /** Bytes from the beginning of a point. */
  offset: number;
  type: NumberType;
}

/** Points as their message packs them. */
export interface Cloud extends Placed {
  kind: "cloud";
  pose: Pose;
  count: number;
  /** Of an organized cloud, whose points are a grid as a picture's pixels are: its rows, all of the same length. */
  rows?: number;
  /** Bytes of a point; the last one may end with its last field. */
  stride: number;
  isLittleEndian: boolean;
  fields: PackedField[];
  data: Uint8Array;
  /** Of scans: the numbers of points, each two of which a line joins. */
  segments?: Uint32Array;
}

/** Coloured cells in a plane. */
export interface Grid extends Placed {
  kind: "grid";
  /** Of the corner of the first cell. */
  pose: Pose;
  columns: number;
  rows: number;
  /** Metres of the whole. */
  size: readonly [width: number, height: number];
  /** Red, green, blue and opacity of each cell, by rows. */
  pixels: Uint8Array;
  /** What its cells may be coloured by, and are; empty and null where there is no choice. */
  fields: string[];
  colouredBy: string | null;
}

/** Cubes of one size in space. */
export interface Voxels extends Placed {
  kind: "voxels";
  /** Of the corner of the first cell. */
  pose: Pose;
  /** Metres of a cube. */
  size: Vector;
  /** Cells that are filled; those that others hide have no cube. */
  count: number;
  /** x, y and z of the middle of each cube. */
  places: Float32Array;
  /** Of each, red in the lowest byte. */
  colours: Uint32Array;
}

export type SceneObject = Cloud | Grid | Voxels | Figures;
