"use client";

import pLimit from "p-limit";
import { readFailure } from "@/components/product/failure";
import type { useTRPCClient } from "@/components/trpc/client";
import { pause, putFile, UploadFailed, type PutTarget } from "./put-file";
import { removeStoredUpload, storeUpload } from "./stored-uploads";
import { changeFile, changeUpload, findUpload, isUploading, sentBytes, type UploadFile } from "./upload-store";

export type Client = ReturnType<typeof useTRPCClient>;

interface Running {
  client: Client;
  deviceId: string | null;
  sessionUid: string | null;
  abort: AbortController;
  samples: [at: number, bytes: number][];
}

/** Limit of files sent concurrently, because browsers limit connections per host. */
const limitFiles = pLimit(2);
const rateOverMs = 8_000;
const running = new Map<string, Running>();

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** Sends what is left of an upload. `deviceId` is needed while its recording does not exist yet. */
export function runUpload(
  client: Client,
  key: string,
  deviceId: string | null,
  onCreated: (uid: string) => void = () => {},
): void {
  running.set(key, { client, deviceId, sessionUid: null, abort: new AbortController(), samples: [] });
  void run(key, onCreated);
}

/** Retries an upload from where it stopped. */
export function rerunUpload(client: Client, key: string): void {
  const before = running.get(key);
  running.set(key, {
    client,
    deviceId: before?.deviceId ?? null,
    sessionUid: before?.sessionUid ?? null,
    abort: new AbortController(),
    samples: [],
  });
  void run(key, () => {});
}

/** Ends the sending of an upload. */
export const stopUpload = (key: string): void => {
  running.get(key)?.abort.abort();
  running.delete(key);
};

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
    if (status.recording_status === "error")
      throw new UploadFailed("The server has dropped this upload. Upload the files again.");
    const pending = new Set(status.pending_paths);
    changeUpload(key, ({ files }) => ({
      state: "sending",
      files: files.map((file) => (pending.has(file.path) ? file : { ...file, sent: file.size, state: "done" })),
    }));
    if (status.status === "active") {
      const files = findUpload(key)?.files.filter(({ state: each }) => each !== "done") ?? [];
      await Promise.all(files.map((file) => limitFiles(() => sendOne(key, state, recordingUid, file))));
      signal.throwIfAborted();
      await persist(key, state, () =>
        state.client.recordings.upload.finalize.mutate({ uid: recordingUid, session_uid: status.session_uid }),
      );
    }
    removeStoredUpload(recordingUid);
    changeUpload(key, { state: "sent", problem: null, rate: null });
  } catch (error) {
    // One file's error stops the others of its recording too.
    state.abort.abort();
    if (findUpload(key) && running.get(key) === state)
      changeUpload(key, { state: "failed", problem: describe(error), rate: null });
  } finally {
    if (!isUploading()) removeEventListener("beforeunload", warn);
  }
}

function describe(error: unknown): string {
  if (error instanceof UploadFailed) return error.message;
  const { status, detail, issues } = readFailure(error);
  if (status === 404) return "The recording was deleted meanwhile.";
  return issues.map(({ message }) => message).join(" ") || detail;
}

/** Calls the server, retrying while it cannot be reached; refusals are thrown. */
async function persist<T>(key: string, { abort: { signal } }: Running, call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const { status } = readFailure(error);
      if (status !== undefined && status !== null && status > 0 && status < 500 && status !== 429) throw error;
      changeUpload(key, { problem: "No connection. The upload resumes by itself.", rate: null });
      await pause(Math.min(30_000, 1_000 * 2 ** tries), signal);
      changeUpload(key, { problem: null });
    }
  }
}

/** Creates the recording and opens its session, unless that was done before. */
async function begin(key: string, state: Running, onCreated: (uid: string) => void): Promise<string> {
  const upload = findUpload(key);
  if (!upload) throw new UploadFailed("Cancelled.");
  let uid = upload.recordingUid;
  if (uid === null) {
    const input = { device_id: state.deviceId ?? undefined, name: upload.name };
    uid = (await state.client.recordings.create.mutate(input)).uid;
    changeUpload(key, { recordingUid: uid });
    onCreated(uid);
  }
  const files = upload.files.map(({ path, size }) => ({ path, size_bytes: size }));
  // Opening it again with the same files returns the same session.
  const recordingUid = uid;
  const session = await persist(key, state, () =>
    state.client.recordings.upload.init.mutate({ uid: recordingUid, files }),
  );
  state.sessionUid = session.uid;
  storeUpload({
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
      toTarget(
        await persist(key, state, () =>
          state.client.recordings.upload.urls.mutate({ uid, session_uid: sessionUid, file_paths: [path] }),
        ),
      ),
    onProgress: (sent) => {
      changeFile(key, path, { sent });
      noteRate(key, state);
    },
    onWaiting: (waiting) =>
      changeUpload(key, {
        problem: waiting && `${waiting.reason} The upload resumes by itself.`,
        ...(waiting && { rate: null }),
      }),
  });
  // Confirmed one by one, so that an interrupted upload never sends a finished file again.
  const claim = { uid, session_uid: sessionUid, files: [{ path, etag, size_bytes: size }] };
  await persist(key, state, () => state.client.recordings.upload.confirm.mutate(claim));
  changeFile(key, path, { sent: size, state: "done" });
}

function toTarget({ urls }: { urls: { put_url: string; headers: Record<string, string> }[] }): PutTarget {
  const [link] = urls;
  if (!link) throw new UploadFailed("The server returned no upload link.");
  const url = new URL(link.put_url, location.origin);
  const own = url.pathname.startsWith("/files/upload/");
  // The server's public name may differ from this page's origin; its own links are resolved against the page.
  return { url: own ? url.pathname + url.search : url.href, headers: link.headers, resumable: own };
}

function noteRate(key: string, { samples }: Running): void {
  const upload = findUpload(key);
  if (!upload) return;
  const now = Date.now();
  const bytes = sentBytes(upload);
  const last = samples.at(-1);
  if (last && now - last[0] < 250) return;
  if (last && bytes < last[1]) samples.length = 0;
  samples.push([now, bytes]);
  while (samples[0] && now - samples[0][0] > rateOverMs) samples.shift();
  const first = samples[0];
  if (first && now - first[0] >= 500) changeUpload(key, { rate: ((bytes - first[1]) / (now - first[0])) * 1_000 });
}
