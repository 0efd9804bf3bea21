import type { Colour } from "@/engine/messages/scene-object";
import type { MeshFormat } from "@/engine/robots/robot-files";

/** A picture on a mesh; how it goes on beyond its edges as WebGL numbers it. */
export interface MeshTexture {
  image: ImageBitmap;
  wrapS: number;
  wrapT: number;
}

/** Triangles of one colour. Places of corners in the units and axes of their file. */
export interface MeshPart {
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  uvs: Float32Array<ArrayBuffer> | null;
  /** Red, green, blue and opacity of each corner, linear. */
  colours: Float32Array<ArrayBuffer> | null;
  indices: Uint32Array<ArrayBuffer> | null;
  /** Null where the file says none. */
  colour: Colour | null;
  texture: MeshTexture | null;
}

/** The files of a robot's description: each at `/media/robot-descriptions/<uid>/files/<position>`. */
export interface RobotFiles {
  uid: string;
  /** The URDF first. */
  paths: readonly string[];
}

/** The address of a file of a robot's description. */
export const toFileAddress = ({ uid }: RobotFiles, position: number): string =>
  `/media/robot-descriptions/${uid}/files/${position}`;

/** A mesh that is to be read: a file of a description, or bytes of a message. */
export interface MeshRequest {
  robot: RobotFiles | null;
  /** The file's position; null where there are bytes. */
  position: number | null;
  bytes: Uint8Array<ArrayBuffer> | null;
  format: MeshFormat | null;
}

export interface ReadMesh {
  parts: MeshPart[];
  format: MeshFormat;
}
