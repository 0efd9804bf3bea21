import { opendir } from "node:fs/promises";
import path from "node:path";
import { isKey } from "@/server/platform/storage/keys";
import { isCompleteVersion, versionsSuffix } from "@/server/platform/storage/versions";

interface Walked {
  key: string;
  /** Whether it is an object; otherwise an unfinished upload. */
  complete: boolean;
  file: string;
}

/** Yields the objects and the unfinished uploads below the root of a disk store, those of the older layout too. */
export async function* walkFiles(root: string, folder = root): AsyncGenerator<Walked> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (!entries) return;
  const keyAt = (name: string) => path.relative(root, path.join(folder, name)).split(path.sep).join("/");
  for await (const entry of entries) {
    const file = path.join(folder, entry.name);
    const key = keyAt(entry.name.replace(/(\.versions|\.part)$/, ""));
    if (!isKey(key)) continue; // a staging folder of a restore, or the tag beside a file of the older layout
    if (!entry.isDirectory()) yield { key, complete: !entry.name.endsWith(".part"), file };
    else if (entry.name.endsWith(versionsSuffix)) yield* walkVersions(file, key);
    else yield* walkFiles(root, file);
  }
}

async function* walkVersions(folder: string, key: string): AsyncGenerator<Walked> {
  let object = false;
  for await (const { name } of await opendir(folder)) {
    const complete = isCompleteVersion(name);
    if (complete && object) continue; // an older version that is about to be removed
    object ||= complete;
    yield { key, complete, file: path.join(folder, name) };
  }
}
