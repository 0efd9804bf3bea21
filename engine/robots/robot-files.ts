/** The files that a robot's description may consist of, and how they are found by the names that it uses. */

/** By extension: what is parsed as a mesh. */
const meshFormats = ["stl", "obj", "dae", "gltf", "glb"] as const;
export type MeshFormat = (typeof meshFormats)[number];

/** What meshes refer to: materials, buffers and pictures. */
const companions: ReadonlySet<string> = new Set(["mtl", "bin", "png", "jpg", "jpeg", "webp"]);

const getExtension = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
};

/** The format of a mesh by its name; null for other files. */
export function getMeshFormat(path: string): MeshFormat | null {
  const extension = getExtension(path.replace(/[?#].*$/, ""));
  return meshFormats.find((format) => format === extension) ?? null;
}

export const isUrdf = (path: string): boolean => getExtension(path) === "urdf";

/** Whether a file of a zip is of use: hidden ones and those that macOS adds are not. */
export function isRobotFile(path: string): boolean {
  if (path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX")) return false;
  return isUrdf(path) || getMeshFormat(path) !== null || companions.has(getExtension(path));
}

/** The parts of an address without its scheme (`package://`, `file://`), `.` and `..`. */
function listParts(address: string): string[] {
  const parts: string[] = [];
  const path = address.replace(/^[a-z][a-z0-9+.-]*:\/*/i, "").replaceAll("\\", "/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

const endsWith = (path: readonly string[], parts: readonly string[]): boolean =>
  parts.length <= path.length && parts.every((part, at) => part === path[path.length - parts.length + at]);

/**
 * The file that an address means, as its position among `paths`; null when there is none. Packages may lie anywhere in
 * the zip, so that the file counts whose path ends with most of the address, down to its name; of several the one nearest
 * to the root. Letters of another case count where nothing else is found.
 */
export function findRobotFile(paths: readonly string[], address: string): number | null {
  const wanted = listParts(decode(address.replace(/[?#].*$/, "")));
  const exact = findParts(paths.map(listParts), wanted);
  if (exact !== null) return exact;
  const lower = (parts: string[]) => parts.map((part) => part.toLowerCase());
  return findParts(
    paths.map((path) => lower(listParts(path))),
    lower(wanted),
  );
}

function findParts(paths: readonly (readonly string[])[], wanted: readonly string[]): number | null {
  for (let from = 0; from < wanted.length; from++) {
    const tail = wanted.slice(from);
    let best: number | null = null;
    for (const [at, path] of paths.entries())
      if (endsWith(path, tail) && (best === null || path.length < paths[best]!.length)) best = at;
    if (best !== null) return best;
  }
  return null;
}

/** Names in addresses may be percent-encoded. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
