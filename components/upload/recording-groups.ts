import { maxNameLength } from "@/domain/limits";
import { getDb3Beside, withoutEnding } from "@/domain/recordings/file-names";
import type { ChosenFile } from "./chosen-files";

/** The files of one recording and the name it gets. */
export interface RecordingGroup {
  name: string;
  files: readonly ChosenFile[];
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const toRecordingName = (path: string): string => withoutEnding(lastPart(path)).slice(0, maxNameLength);

/**
 * A folder with a `metadata.yaml` is one recording, as rosbag2 writes it; every other file is one of its own, with what
 * SQLite kept beside it.
 */
export function groupFiles(files: readonly ChosenFile[]): RecordingGroup[] {
  const folders = files
    .filter(({ path }) => path.endsWith("/metadata.yaml"))
    .map(({ path }) => path.slice(0, -"metadata.yaml".length));
  const groups = new Map<string, ChosenFile[]>();
  for (const file of files) {
    const key = folders.find((folder) => file.path.startsWith(folder)) ?? getDb3Beside(file.path) ?? file.path;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups].map(([key, group]) => ({ name: toRecordingName(key.replace(/\/$/, "")), files: group }));
}

/** All files as one recording, named after the first. */
export function joinFiles(files: readonly ChosenFile[]): RecordingGroup[] {
  const [first] = groupFiles(files);
  return first ? [{ name: first.name, files }] : [];
}
