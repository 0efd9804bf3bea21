import fs from "node:fs";
import path from "node:path";
import { files, imports, readText, root, testImports } from "@/server/testing/architecture/source-tree";

/** Which tests a changed file reaches, by what imports it or names it. */

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

const folderOfPrograms = "server/testing/";

/** `from` is affected when `to` changes. */
export interface Edge {
  from: string;
  to: string;
  /** `from` starts `to` as a program of its own, which proves little about each of the many files in it. */
  starts?: boolean;
}

/** As many imports as starting a program counts. */
const startDistance = 5;
const isProgram = (file: string): boolean => /^(cli|server)\/main\.ts$/.test(file) || file.startsWith(folderOfPrograms);

/**
 * The files that a text names: a thread or a file beside it by `new URL("./…")` and, if it is a test's, every file of
 * the repository by its path, every program of `server/testing` and, for the tests of documents, every guide by its name.
 */
export function* findNamed(from: string, text: string, isKnown: (file: string) => boolean): Generator<string> {
  for (const [, name = ""] of text.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g)) {
    const target = path.posix.join(path.posix.dirname(from), name);
    yield* new Set([target, target.replace(/\.mjs$/, ".ts")].filter(isKnown));
  }
  if (!isTest(from) && !from.startsWith(folderOfPrograms)) return;
  const guide = from.startsWith("server/testing/documents/") ? (name: string) => [`docs/${name}.md`] : () => [];
  for (const [, name = ""] of text.matchAll(/"([\w@./-]+)"/g))
    yield* [name, `${folderOfPrograms}${name}.ts`, ...guide(name)].filter((file) => file !== from && isKnown(file));
}

/** A path without its ending, as imports name files. */
const stem = (file: string): string => file.replace(/\.(ts|tsx|mjs)$/, "");

/**
 * The edges of the repository as it is on disk. Imports of types are left out, because they change no test, and so are
 * those of files that are `gone`, which only their path still names.
 */
export function readEdges(gone: readonly string[]): Edge[] {
  const removed = new Map(gone.map((file) => [stem(file), file]));
  const sources = new Set(files);
  const isKnown = (file: string) => sources.has(file) || (/[./]/.test(file) && fs.existsSync(path.join(root, file)));
  const imported = [...imports, ...testImports]
    .filter(({ typeOnly }) => !typeOnly)
    .map(({ from, to }) => ({ from, to: removed.get(stem(to)) ?? to }));
  const named = files.flatMap((from) =>
    [...findNamed(from, readText(from), isKnown)].map((to) => ({ from, to, starts: isProgram(to) })),
  );
  return [...imported, ...named];
}

/** How far each file that `changed` files reach is from the nearest of them, counted in imports; 0 for themselves. */
export function measureDistances(
  edges: readonly Edge[],
  changed: readonly string[],
  passes: (file: string) => boolean = () => true,
): Map<string, number> {
  const dependents = new Map<string, Edge[]>();
  for (const edge of edges) {
    const known = dependents.get(edge.to);
    if (known) known.push(edge);
    else dependents.set(edge.to, [edge]);
  }
  const distances = new Map(changed.map((file) => [file, 0]));
  const queue = [...changed];
  for (const file of queue) {
    for (const { from, starts } of dependents.get(file) ?? []) {
      const distance = (distances.get(file) ?? 0) + (starts ? startDistance : 1);
      if (distance >= (distances.get(from) ?? Infinity) || !passes(from)) continue;
      distances.set(from, distance);
      queue.push(from);
    }
  }
  return distances;
}
