"use client";

import { useSyncExternalStore } from "react";
import { readStoredUploads, type StoredUpload } from "./stored-uploads";

export interface UploadFile {
  path: string;
  size: number;
  /** The file on disk; undefined after a reload, until the person chooses it again. */
  file: File | undefined;
  sent: number;
  state: "waiting" | "sending" | "done";
}

/** One recording that is being uploaded. */
export interface Upload {
  key: string;
  deviceName: string;
  name: string;
  recordingUid: string | null;
  files: UploadFile[];
  /** `interrupted`: its files have to be chosen again. `sent`: everything is there, the server processes it. */
  state: "waiting" | "sending" | "interrupted" | "sent" | "failed";
  /** The problem while it waits or after it failed. */
  problem: string | null;
  /** Bytes per second over the last seconds; null until it is known. */
  rate: number | null;
}

const none: readonly Upload[] = [];

let uploads: readonly Upload[] = none;
let storedLoaded = false;
let drawing: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

/** Puts an upload at the top of the list. */
export function addUpload(upload: Upload): void {
  uploads = [upload, ...uploads];
}

export function removeUpload(key: string): void {
  uploads = uploads.filter((each) => each.key !== key);
  announce();
}

export function changeUpload(key: string, part: Partial<Upload> | ((upload: Upload) => Partial<Upload>)): void {
  uploads = uploads.map((each) =>
    each.key === key ? { ...each, ...(typeof part === "function" ? part(each) : part) } : each,
  );
  // Progress events arrive by the hundred, so renders are throttled.
  drawing ??= setTimeout(() => {
    drawing = undefined;
    announce();
  }, 100);
}

export const changeFile = (key: string, path: string, part: Partial<UploadFile>): void =>
  changeUpload(key, ({ files }) => ({
    files: files.map((file) => (file.path === path ? { ...file, ...part } : file)),
  }));

export const findUpload = (key: string): Upload | undefined => uploads.find((each) => each.key === key);
export const sentBytes = ({ files }: Pick<Upload, "files">): number => files.reduce((sum, file) => sum + file.sent, 0);
export const totalBytes = ({ files }: Pick<Upload, "files">): number => files.reduce((sum, file) => sum + file.size, 0);

/** Whether any upload waits or is being sent. */
export const isUploading = (): boolean => uploads.some(({ state }) => state === "waiting" || state === "sending");

const subscribe = (listener: () => void) => {
  if (!storedLoaded) {
    storedLoaded = true;
    uploads = [...uploads, ...readStoredUploads().map(interrupted)];
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const interrupted = ({ recordingUid, deviceName, name, files }: StoredUpload): Upload => ({
  key: recordingUid,
  deviceName,
  name,
  recordingUid,
  files: files.map((file) => ({ ...file, file: undefined, sent: 0, state: "waiting" })),
  state: "interrupted",
  problem: null,
  rate: null,
});

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
