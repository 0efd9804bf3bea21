/**
 * The thread that reads meshes for a 3-D scene: readers of their formats are loaded only when a mesh is met, and one that
 * takes too long or too much memory stops nothing else. Built by scripts/page-workers.mjs.
 */
import { expose, transfer } from "comlink";
import {
  toFileAddress,
  type MeshPart,
  type MeshRequest,
  type ReadMesh,
  type RobotFiles,
} from "@/components/recording/thread/mesh-parts";
import { findRobotFile } from "@/engine/robots/robot-files";
import type { FindFile } from "./mesh-material";
import { guessFormat, readMesh } from "./mesh-reading";

// The readers write down what nobody reads.
Object.assign(console, { warn: () => {}, debug: () => {}, error: () => {}, log: () => {} });

async function fetchFile(robot: RobotFiles, position: number): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(toFileAddress(robot, position));
  if (!response.ok) throw new Error(`its file could not be loaded (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Finds files by names as seen from another file. */
function findBeside(robot: RobotFiles | null, position: number | null): FindFile {
  const path = position === null ? "" : (robot?.paths[position] ?? "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return async (name) => {
    const found = robot ? findRobotFile(robot.paths, folder + name.replace(/^file:\/+/, "")) : null;
    return found === null || robot === null ? null : fetchFile(robot, found);
  };
}

const thread = {
  /** Reads a mesh. Throws with the reason when it cannot be drawn. */
  async read({ robot, position, bytes, format: named }: MeshRequest): Promise<ReadMesh> {
    const content = bytes ?? (robot && position !== null ? await fetchFile(robot, position) : null);
    if (content === null) throw new Error("it is missing");
    const format = named ?? guessFormat(content);
    const parts = await readMesh(content, format, findBeside(robot, position));
    return transfer({ parts, format }, [...new Set(parts.flatMap(listMemory))]);
  },
};
export type MeshThread = typeof thread;

const listMemory = ({ positions, normals, uvs, colours, indices, texture }: MeshPart): Transferable[] => [
  ...[positions, normals, uvs, colours, indices].flatMap((numbers) => (numbers ? [numbers.buffer] : [])),
  ...(texture ? [texture.image] : []),
];

expose(thread);
