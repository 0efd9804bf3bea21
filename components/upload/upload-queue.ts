"use client";

import { v4 as uuidv4 } from "uuid";
import type { ChosenFile } from "./chosen-files";
import type { Answer } from "./dataset-names";
import { datasetTarget } from "./dataset-target";
import { recordingTarget } from "./recording-target";
import { removeStoredUpload } from "./stored-uploads";
import { UploadFiles } from "./upload-files";
import { rerunUpload, runUpload, stopUpload } from "./upload-run";
import {
  addUpload,
  changeUpload,
  findUpload,
  getFiles,
  removeUpload,
  setFiles,
  type DatasetPlace,
  type Upload,
} from "./upload-store";
import type { Client, RunningUpload } from "./upload-target";

export interface NewUpload {
  deviceId: string;
  deviceName: string;
  name: string;
  files: readonly ChosenFile[];
}

/** Starts uploads of recordings; `onCreated` is called with each recording once it exists. Returns their keys. */
export function startUploads(client: Client, wanted: readonly NewUpload[], onCreated: (uid: string) => void): string[] {
  return wanted.map(({ deviceId, deviceName, name, files }) => {
    const key = uuidv4();
    const place = { kind: "recording", deviceId, deviceName, recordingUid: null } as const;
    addUpload({ key, place, name }, toFiles(files));
    runUpload(client, key, recordingTarget(onCreated));
    return key;
  });
}

/** Starts an upload to a dataset. */
export function startDatasetUpload(
  client: Client,
  dataset: Pick<DatasetPlace, "owner" | "slug" | "datasetName">,
  name: string,
  files: readonly ChosenFile[],
): void {
  const key = uuidv4();
  addUpload({ key, place: { ...dataset, kind: "dataset", sessions: [], taken: null }, name }, toFiles(files));
  runUpload(client, key, datasetTarget(ask));
}

/** Answers of people that uploads wait for. */
const answers = new Map<string, (answer: Answer) => void>();

async function ask({ key, signal }: RunningUpload, taken: readonly string[]): Promise<Answer> {
  changeUpload(key, { state: "asking", taken: { count: taken.length, first: taken[0] ?? "" } });
  const answer = await new Promise<Answer>((resolve) => {
    answers.set(key, resolve);
    signal.addEventListener("abort", () => resolve("stop"));
  });
  answers.delete(key);
  const place = findUpload(key)?.place;
  if (place?.kind === "dataset" && answer !== "stop") changeUpload(key, { place: { ...place, taken: answer } });
  changeUpload(key, { state: "sending", taken: null });
  return answer;
}

/** Says what happens with the files of an upload whose names are taken. */
export const answerTaken = (key: string, answer: Answer): void => answers.get(key)?.(answer);

/** Files by paths, which are made different where two are the same. */
function toFiles(chosen: readonly ChosenFile[]): UploadFiles {
  const taken = new Set<string>();
  return new UploadFiles(
    chosen.map(({ file, path: wanted }) => {
      let path = wanted;
      for (let n = 2; taken.has(path); n++) path = wanted.replace(/(\.[^./]*)?$/, ` (${n})$1`);
      taken.add(path);
      return { path, file, size: file.size };
    }),
  );
}

/** Resumes an interrupted upload, given its files; false when they are not the ones it started with. */
export function resumeUpload(client: Client, upload: Upload, chosen: readonly ChosenFile[]): boolean {
  const { key, place } = upload;
  if (place.kind === "dataset") {
    const { fileCount, totalBytes } = upload.progress;
    const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
    if (chosen.length !== fileCount || bytes !== totalBytes) return false;
    setFiles(key, toFiles(chosen));
    changeUpload(key, { state: "waiting", problem: null });
    runUpload(client, key, datasetTarget(ask));
    return true;
  }
  const wanted = getFiles(key)?.list();
  if (!wanted || place.recordingUid === null) return false;
  const found = wanted.map((each) => {
    const same = chosen.filter(({ file }) => file.size === each.size).map(({ file }) => file);
    return (
      same.find((file) => `/${each.path}`.endsWith(`/${file.name}`)) ?? (wanted.length === 1 ? same[0] : undefined)
    );
  });
  if (wanted.some((each, at) => each.state !== "done" && !found[at])) return false;
  setFiles(key, new UploadFiles(wanted.map((each, at) => ({ ...each, file: found[at] }))));
  changeUpload(key, { state: "waiting", problem: null });
  runUpload(
    client,
    key,
    recordingTarget(() => {}),
  );
  return true;
}

/** Retries a failed upload from where it stopped. */
export function retryUpload(client: Client, key: string): void {
  changeUpload(key, { state: "waiting", problem: null });
  rerunUpload(client, key);
}

/**
 * Stops an upload. A recording is deleted, or archived for those who may not; what was finished of a dataset stays.
 * Throws the server's refusal.
 */
export async function cancelUpload(client: Client, key: string, mayDelete: boolean): Promise<void> {
  const place = findUpload(key)?.place;
  dismissUpload(key);
  removeStoredUpload(key);
  const uid = place?.kind === "recording" ? place.recordingUid : null;
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
