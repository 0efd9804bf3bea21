"use client";

import { useSyncExternalStore } from "react";
import { readFailure } from "@/components/product/failure";
import type { useTRPCClient } from "@/components/trpc/client";
import { pause, putFile, UploadFailed, type PutTarget } from "./put-file";
import { forget, remember, rememberedUploads, type Remembered } from "./remembered";
import { Slots } from "./slots";

type Client = ReturnType<typeof useTRPCClient>;

export interface UploadFile {
  path: string;
  size: number;
  /** What is read from disk; undefined after a reload, until the person chooses it again. */
  file: File | undefined;
  sent: number;
  state: "waiting" | "sending" | "done";
}

/** One recording on its way. */
export interface Upload {
  key: string;
  deviceName: string;
  name: string;
  recordingUid: string | null;
  files: UploadFile[];
  /** `interrupted`: its files have to be chosen again. `sent`: everything is there, the server processes it. */
  state: "waiting" | "sending" | "interrupted" | "sent" | "failed";
  /** Why it does not go on, while it waits or after it failed. */
  problem: string | null;
  /** Bytes a second over the last seconds; null until that can be told. */
  rate: number | null;
}

export interface NewUpload {
  deviceId: string;
  deviceName: string;
  name: string;
  files: readonly File[];
}

interface Running {
  client: Client;
  deviceId: string | null;
  sessionUid: string | null;
  abort: AbortController;
  samples: [at: number, bytes: number][];
}

/** No more files at once than the browser can spare connections for. */
const slots = new Slots(2);
const rateOverMs = 8_000;
const none: readonly Upload[] = [];

let uploads: readonly Upload[] = none;
let recalled = false;
let drawing: ReturnType<typeof setTimeout> | undefined;
const running = new Map<string, Running>();
const listeners = new Set<() => void>();

function change(key: string, part: Partial<Upload> | ((upload: Upload) => Partial<Upload>)): void {
  uploads = uploads.map((each) =>
    each.key === key ? { ...each, ...(typeof part === "function" ? part(each) : part) } : each,
  );
  // Progress comes by the hundred; people see a few frames a second.
  drawing ??= setTimeout(() => {
    drawing = undefined;
    for (const listener of listeners) listener();
  }, 100);
}

const changeFile = (key: string, path: string, part: Partial<UploadFile>): void =>
  change(key, ({ files }) => ({ files: files.map((file) => (file.path === path ? { ...file, ...part } : file)) }));

const find = (key: string): Upload | undefined => uploads.find((each) => each.key === key);
export const sentBytes = ({ files }: Pick<Upload, "files">): number => files.reduce((sum, file) => sum + file.sent, 0);
export const totalBytes = ({ files }: Pick<Upload, "files">): number => files.reduce((sum, file) => sum + file.size, 0);

const subscribe = (listener: () => void) => {
  if (!recalled) {
    recalled = true;
    uploads = [...uploads, ...rememberedUploads().map(interrupted)];
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const interrupted = ({ recordingUid, deviceName, name, files }: Remembered): Upload => ({
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
 * The uploads of this tab, and those that a reload interrupted. They go on while the page is open, whatever is on
 * screen.
 */
export const useUploads = (): readonly Upload[] =>
  useSyncExternalStore(
    subscribe,
    () => uploads,
    () => none,
  );

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** Begins uploads; `onCreated` is told of each recording once it exists. */
export function startUploads(client: Client, wanted: readonly NewUpload[], onCreated: (uid: string) => void): void {
  for (const { deviceId, deviceName, name, files } of wanted) {
    const key = crypto.randomUUID();
    const paths = uniquePaths(files);
    uploads = [
      {
        key,
        deviceName,
        name,
        recordingUid: null,
        files: files.map((file, at) => ({
          path: paths[at] ?? file.name,
          size: file.size,
          file,
          sent: 0,
          state: "waiting",
        })),
        state: "waiting",
        problem: null,
        rate: null,
      },
      ...uploads,
    ];
    running.set(key, { client, deviceId, sessionUid: null, abort: new AbortController(), samples: [] });
    void run(key, onCreated);
  }
}

/** Names of files, made different where two are the same. */
function uniquePaths(files: readonly File[]): string[] {
  const taken = new Set<string>();
  return files.map(({ name }) => {
    let path = name;
    for (let n = 2; taken.has(path); n++) path = name.replace(/(\.[^.]*)?$/, ` (${n})$1`);
    taken.add(path);
    return path;
  });
}

/** Goes on with an interrupted upload, given its files; false when they are not the ones it began with. */
export function resumeUpload(client: Client, key: string, files: readonly File[]): boolean {
  const upload = find(key);
  if (!upload?.recordingUid) return false;
  const found = upload.files.map((wanted) => {
    const same = files.filter((file) => file.size === wanted.size);
    return same.find((file) => file.name === wanted.path) ?? (upload.files.length === 1 ? same[0] : undefined);
  });
  if (upload.files.some((wanted, at) => wanted.state !== "done" && !found[at])) return false;
  change(key, {
    files: upload.files.map((file, at) => ({ ...file, file: found[at] })),
    state: "waiting",
    problem: null,
  });
  running.set(key, { client, deviceId: null, sessionUid: null, abort: new AbortController(), samples: [] });
  void run(key, () => {});
  return true;
}

/** Tries a failed upload again from where it is. */
export function retryUpload(client: Client, key: string): void {
  const before = running.get(key);
  change(key, { state: "waiting", problem: null });
  running.set(key, {
    client,
    deviceId: before?.deviceId ?? null,
    sessionUid: before?.sessionUid ?? null,
    abort: new AbortController(),
    samples: [],
  });
  void run(key, () => {});
}

/** Stops an upload and deletes the recording that would have come of it. Throws what the server refused. */
export async function cancelUpload(client: Client, key: string): Promise<void> {
  const upload = find(key);
  running.get(key)?.abort.abort();
  const uid = upload?.recordingUid ?? null;
  dismissUpload(key);
  if (uid === null) return;
  forget(uid);
  await client.recordings.delete.mutate({ uid });
}

/** Takes a line that is over from the list. */
export function dismissUpload(key: string): void {
  running.delete(key);
  uploads = uploads.filter((each) => each.key !== key);
  for (const listener of listeners) listener();
}

async function run(key: string, onCreated: (uid: string) => void): Promise<void> {
  const state = running.get(key);
  if (!state) return;
  const { signal } = state.abort;
  addEventListener("beforeunload", warn);
  try {
    const recordingUid = await begin(key, state, onCreated);
    signal.throwIfAborted();
    const status = await persist(key, state, () => state.client.recordings.upload.status.query({ uid: recordingUid }));
    state.sessionUid = status.session_uid;
    if (status.recording_status === "error") throw new UploadFailed("The server gave this upload up. Upload it anew.");
    const pending = new Set(status.pending_paths);
    change(key, ({ files }) => ({
      state: "sending",
      files: files.map((file) => (pending.has(file.path) ? file : { ...file, sent: file.size, state: "done" })),
    }));
    if (status.status === "active") {
      const files = find(key)?.files.filter(({ state: each }) => each !== "done") ?? [];
      await Promise.all(files.map((file) => slots.run(() => sendOne(key, state, recordingUid, file))));
      signal.throwIfAborted();
      await persist(key, state, () =>
        state.client.recordings.upload.finalize.mutate({ uid: recordingUid, session_uid: status.session_uid }),
      );
    }
    forget(recordingUid);
    change(key, { state: "sent", problem: null, rate: null });
  } catch (error) {
    // One file's fault ends the others of its recording, too.
    state.abort.abort();
    if (find(key) && running.get(key) === state) change(key, { state: "failed", problem: wordsOf(error), rate: null });
  } finally {
    if (!uploads.some((each) => each.state === "waiting" || each.state === "sending"))
      removeEventListener("beforeunload", warn);
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof UploadFailed) return error.message;
  const { status, detail, issues } = readFailure(error);
  if (status === 404) return "The recording is gone: it was deleted meanwhile.";
  return issues.map(({ message }) => message).join(" ") || detail;
}

/** Asks the server, again and again while it cannot be reached; what it refuses is thrown. */
async function persist<T>(key: string, { abort: { signal } }: Running, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const { status } = readFailure(error);
      if (status !== undefined && status !== null && status > 0 && status < 500 && status !== 429) throw error;
      change(key, { problem: "No connection. It goes on by itself.", rate: null });
      await pause(Math.min(30_000, 1_000 * 2 ** tries), signal);
      change(key, { problem: null });
    }
  }
}

/** Creates the recording and opens its session, unless that was done before. */
async function begin(key: string, state: Running, onCreated: (uid: string) => void): Promise<string> {
  const upload = find(key);
  if (!upload) throw new UploadFailed("Cancelled.");
  let uid = upload.recordingUid;
  if (uid === null) {
    const input = { device_id: state.deviceId ?? undefined, name: upload.name };
    uid = (await state.client.recordings.create.mutate(input)).uid;
    change(key, { recordingUid: uid });
    onCreated(uid);
  }
  const files = upload.files.map(({ path, size }) => ({ path, size_bytes: size }));
  // Again with the same files it is the same session.
  const recordingUid = uid;
  const session = await persist(key, state, () =>
    state.client.recordings.upload.init.mutate({ uid: recordingUid, files }),
  );
  state.sessionUid = session.uid;
  remember({
    recordingUid: uid,
    sessionUid: session.uid,
    deviceName: upload.deviceName,
    name: upload.name,
    files: upload.files.map(({ path, size }) => ({ path, size })),
    at: Date.now(),
  });
  return uid;
}

async function sendOne(key: string, state: Running, uid: string, { path, size, file }: UploadFile): Promise<void> {
  const { signal } = state.abort;
  signal.throwIfAborted();
  if (!file) throw new UploadFailed(`Choose ${path} again.`);
  const sessionUid = state.sessionUid ?? "";
  changeFile(key, path, { state: "sending" });
  const etag = await putFile({
    file,
    signal,
    target: async () =>
      targetOf(
        await persist(key, state, () =>
          state.client.recordings.upload.urls.mutate({ uid, session_uid: sessionUid, file_paths: [path] }),
        ),
      ),
    onProgress: (sent) => {
      changeFile(key, path, { sent });
      noteRate(key, state);
    },
    onWaiting: (waiting) =>
      change(key, { problem: waiting && `${waiting.reason} It goes on by itself.`, ...(waiting && { rate: null }) }),
  });
  // Confirmed one by one, so that an interrupted upload never sends a finished file again.
  const claim = { uid, session_uid: sessionUid, files: [{ path, etag, size_bytes: size }] };
  await persist(key, state, () => state.client.recordings.upload.confirm.mutate(claim));
  changeFile(key, path, { sent: size, state: "done" });
}

function targetOf({ urls }: { urls: { put_url: string; headers: Record<string, string> }[] }): PutTarget {
  const [link] = urls;
  if (!link) throw new UploadFailed("The server gave no link to upload to.");
  const url = new URL(link.put_url, location.origin);
  const own = url.pathname.startsWith("/files/upload/");
  // The server's public name may not be the one this page came from; its own links are taken from here.
  return { url: own ? url.pathname + url.search : url.href, headers: link.headers, resumable: own };
}

function noteRate(key: string, { samples }: Running): void {
  const upload = find(key);
  if (!upload) return;
  const now = Date.now();
  const bytes = sentBytes(upload);
  const last = samples.at(-1);
  if (last && now - last[0] < 250) return;
  if (last && bytes < last[1]) samples.length = 0;
  samples.push([now, bytes]);
  while (samples[0] && now - samples[0][0] > rateOverMs) samples.shift();
  const first = samples[0];
  if (first && now - first[0] >= 500) change(key, { rate: ((bytes - first[1]) / (now - first[0])) * 1_000 });
}
