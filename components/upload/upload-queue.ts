"use client";

import type { ChosenFile } from "./chosen-files";
import { removeStoredUpload } from "./stored-uploads";
import { rerunUpload, runUpload, stopUpload, type Client } from "./upload-run";
import { addUpload, changeUpload, findUpload, removeUpload } from "./upload-store";

export interface NewUpload {
  deviceId: string;
  deviceName: string;
  name: string;
  files: readonly ChosenFile[];
}

/** Starts uploads; `onCreated` is called with each recording once it exists. */
export function startUploads(client: Client, wanted: readonly NewUpload[], onCreated: (uid: string) => void): void {
  for (const { deviceId, deviceName, name, files } of wanted) {
    const key = crypto.randomUUID();
    const paths = uniquePaths(files);
    addUpload({
      key,
      deviceName,
      name,
      recordingUid: null,
      files: files.map(({ file, path }, at) => ({
        path: paths[at] ?? path,
        size: file.size,
        file,
        sent: 0,
        state: "waiting",
      })),
      state: "waiting",
      problem: null,
      rate: null,
    });
    runUpload(client, key, deviceId, onCreated);
  }
}

/** Paths of files, made different where two are the same. */
function uniquePaths(files: readonly ChosenFile[]): string[] {
  const taken = new Set<string>();
  return files.map(({ path: chosen }) => {
    let path = chosen;
    for (let n = 2; taken.has(path); n++) path = chosen.replace(/(\.[^.]*)?$/, ` (${n})$1`);
    taken.add(path);
    return path;
  });
}

/** Resumes an interrupted upload, given its files; false when they are not the ones it started with. */
export function resumeUpload(client: Client, key: string, files: readonly File[]): boolean {
  const upload = findUpload(key);
  if (!upload?.recordingUid) return false;
  const found = upload.files.map((wanted) => {
    const same = files.filter((file) => file.size === wanted.size);
    return (
      same.find((file) => `/${wanted.path}`.endsWith(`/${file.name}`)) ??
      (upload.files.length === 1 ? same[0] : undefined)
    );
  });
  if (upload.files.some((wanted, at) => wanted.state !== "done" && !found[at])) return false;
  changeUpload(key, {
    files: upload.files.map((file, at) => ({ ...file, file: found[at] })),
    state: "waiting",
    problem: null,
  });
  runUpload(client, key, null);
  return true;
}

/** Retries a failed upload from where it stopped. */
export function retryUpload(client: Client, key: string): void {
  changeUpload(key, { state: "waiting", problem: null });
  rerunUpload(client, key);
}

/** Stops an upload and deletes its recording, or archives it for those who may not. Throws the server's refusal. */
export async function cancelUpload(client: Client, key: string, mayDelete: boolean): Promise<void> {
  const uid = findUpload(key)?.recordingUid ?? null;
  dismissUpload(key);
  if (uid === null) return;
  removeStoredUpload(uid);
  if (mayDelete) await client.recordings.delete.mutate({ uid });
  else await client.recordings.update.mutate({ uid, change: { status: "archived" } });
}

/** Removes an upload from the list and stops sending it. */
export function dismissUpload(key: string): void {
  stopUpload(key);
  removeUpload(key);
}
