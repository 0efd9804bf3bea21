"use client";

import { useSyncExternalStore } from "react";
import { readStoredUploads, storedKey, type StoredUpload } from "./stored-uploads";
import { unknownProgress, UploadFiles, type UploadProgress } from "./upload-files";

/** Where the files of an upload go. */
export type UploadPlace =
  | { kind: "recording"; deviceId: string | null; deviceName: string; recordingUid: string | null }
  | {
      kind: "dataset";
      owner: string;
      slug: string;
      datasetName: string;
      /** Its sessions so far. */
      sessions: readonly string[];
      /** What happens with files whose names the dataset has already; null before anybody was asked. */
      taken: "skip" | "rename" | null;
    };
export type DatasetPlace = Extract<UploadPlace, { kind: "dataset" }>;

/** One recording, or one folder for a dataset, that is being uploaded. */
export interface Upload {
  key: string;
  place: UploadPlace;
  name: string;
  progress: UploadProgress;
  /**
   * `interrupted`: its files have to be chosen again. `asking`: names are taken. `sent`: everything is there, the server
   * processes it.
   */
  state: "waiting" | "asking" | "sending" | "interrupted" | "sent" | "failed";
  /** The names that are taken, while it asks: how many, and the first. */
  taken: { count: number; first: string } | null;
  /** The problem while it waits or after it failed. */
  problem: string | null;
  /** Bytes per second over the last seconds; null until it is known. */
  rate: number | null;
}

const none: readonly Upload[] = [];

let uploads: readonly Upload[] = none;
/** The files of uploads, which may be a hundred thousand, apart from what screens compare. */
const files = new Map<string, UploadFiles>();
let storedLoaded = false;
let drawing: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

/** Puts an upload at the top of the list. */
export function addUpload(upload: Pick<Upload, "key" | "place" | "name">, list: UploadFiles): void {
  files.set(upload.key, list);
  const empty = { state: "waiting", taken: null, problem: null, rate: null } as const;
  uploads = [{ ...upload, ...empty, progress: list.read() }, ...uploads];
  announce();
}

/** The files of an upload, once they were chosen. */
export const getFiles = (key: string): UploadFiles | undefined => files.get(key);

/** Gives an upload its files again. */
export function setFiles(key: string, list: UploadFiles): void {
  files.set(key, list);
  changeUpload(key, {});
}

export function removeUpload(key: string): void {
  files.delete(key);
  uploads = uploads.filter((each) => each.key !== key);
  announce();
}

export function changeUpload(key: string, part: Partial<Upload>): void {
  uploads = uploads.map((each) => (each.key === key ? { ...each, ...part } : each));
  dirty.add(key);
  // Progress events arrive by the hundred, so renders are throttled.
  drawing ??= setTimeout(() => {
    drawing = undefined;
    uploads = uploads.map((each) => {
      const list = dirty.has(each.key) ? files.get(each.key) : undefined;
      return list ? { ...each, progress: list.read() } : each;
    });
    dirty.clear();
    announce();
  }, 100);
}
const dirty = new Set<string>();

export const findUpload = (key: string): Upload | undefined => uploads.find((each) => each.key === key);

/** Whether any upload waits or is being sent. */
export const isUploading = (): boolean =>
  uploads.some(({ state }) => state === "waiting" || state === "asking" || state === "sending");

const subscribe = (listener: () => void) => {
  if (!storedLoaded) {
    storedLoaded = true;
    uploads = [...uploads, ...readStoredUploads().map(interrupted)];
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function interrupted(stored: StoredUpload): Upload {
  const base = { key: storedKey(stored), name: stored.name, taken: null, problem: null, rate: null } as const;
  if (stored.kind === "dataset") {
    const { owner, slug, datasetName, sessions, taken } = stored;
    const place = { kind: "dataset", owner, slug, datasetName, sessions, taken } as const;
    return { ...base, place, state: "interrupted", progress: unknownProgress(stored.fileCount, stored.totalBytes) };
  }
  const { deviceName, recordingUid } = stored;
  const list = new UploadFiles(stored.files.map((file) => ({ ...file, file: undefined })));
  files.set(base.key, list);
  const place = { kind: "recording", deviceId: null, deviceName, recordingUid } as const;
  return { ...base, place, state: "interrupted", progress: list.read() };
}

/**
 * The uploads of this tab, and those that a reload interrupted. They continue while the page is open, on any
 * screen.
 */
export const useUploads = (): readonly Upload[] =>
  useSyncExternalStore(
    subscribe,
    () => uploads,
    () => none,
  );
