import { maxLookUp, type NameState } from "@/domain/datasets/upload-schema";
import { UploadFailed } from "./put-file";
import type { UploadFile, UploadFiles } from "./upload-files";
import type { DatasetPlace } from "./upload-store";

/** What happens with files whose names a dataset has already. */
export type Answer = "skip" | "rename" | "stop";

/** What the dataset knows of a name, and the session that brought it. */
export interface KnownName {
  path: string;
  state: NameState;
  session_uid: string | null;
}

interface Sorting {
  files: UploadFiles;
  place: Pick<DatasetPlace, "sessions" | "taken">;
  /** Asks the server for at most a thousand names. */
  lookUp: (paths: string[]) => Promise<readonly KnownName[]>;
  /** Asks the person what happens with names that are taken. */
  ask: (taken: readonly string[]) => Promise<Answer>;
}

/** `front/a.jpg` as `front/a (2).jpg`. */
export const numberedName = (path: string, number: number): string =>
  path.replace(/(\.[^./]*)?$/, (extension) => ` (${number})${extension}`);

/** What the dataset knows of names, in requests of a thousand. */
async function lookUpAll(lookUp: Sorting["lookUp"], paths: readonly string[]): Promise<KnownName[]> {
  const found: KnownName[] = [];
  for (let at = 0; at < paths.length; at += maxLookUp) found.push(...(await lookUp(paths.slice(at, at + maxLookUp))));
  return found;
}

/**
 * Compares the files of an upload with what the dataset has. Those that this upload brought already are done, those of
 * its unfinished sessions are returned by session, and for other names that are taken it asks.
 */
export async function sortOut({ files, place, lookUp, ask }: Sorting): Promise<{ open: Map<string, UploadFile[]> }> {
  const own = new Set(place.sessions);
  const open = new Map<string, UploadFile[]>();
  /** Takes what this upload brought; false for a name that something else has. */
  const take = (file: UploadFile, { state, session_uid: session }: KnownName): boolean => {
    if (session === null || !own.has(session)) return false;
    if (state === "open" || state === "confirmed") {
      const pending = open.get(session) ?? [];
      open.set(session, pending);
      if (state === "open") {
        pending.push(file);
        return true;
      }
    }
    files.finish(file);
    return true;
  };
  const sort = async (list: readonly UploadFile[]): Promise<UploadFile[]> => {
    const byPath = new Map(list.map((file) => [file.path, file]));
    const taken = new Set<UploadFile>();
    for (const known of await lookUpAll(lookUp, [...byPath.keys()])) {
      const file = byPath.get(known.path);
      if (file && file.state !== "done" && !take(file, known)) taken.add(file);
    }
    return [...taken];
  };
  let taken = await sort(files.list().filter(({ state }) => state !== "done"));
  if (taken.length === 0) return { open };
  const answer = place.taken ?? (await ask(taken.map(({ path }) => path)));
  if (answer === "stop") throw new UploadFailed("Stopped: the dataset has files of the same names.");
  if (answer === "skip") {
    for (const file of taken) files.remove(file, "Skipped: the dataset has an item of this name.");
    return { open };
  }
  const names = new Map(taken.map((file) => [file, file.path]));
  for (let number = 2; taken.length > 0; number++) {
    for (const file of taken) {
      const free = numberedName(names.get(file) ?? file.path, number);
      if (!files.has(free)) files.rename(file, free);
    }
    taken = await sort(taken);
  }
  return { open };
}
