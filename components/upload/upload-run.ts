"use client";

import pLimit from "p-limit";
import { readFailure } from "@/components/product/failure";
import { pause, putFile, UploadFailed } from "./put-file";
import { SessionLinks } from "./session-links";
import { removeStoredUpload } from "./stored-uploads";
import type { UploadFile, UploadFiles } from "./upload-files";
import { changeUpload, findUpload, getFiles, isUploading } from "./upload-store";
import type { Client, OpenSession, RunningUpload, UploadTarget } from "./upload-target";

interface Running extends RunningUpload {
  target: UploadTarget;
  abort: AbortController;
  samples: [at: number, bytes: number][];
}

/** Limit of files sent concurrently, because browsers limit connections per host. */
const limitFiles = pLimit(3);
/** The largest file that is sent as a whole at once; the server is asked first how much it has of a larger one. */
const maxSmallBytes = 1024 * 1024;
const rateOverMs = 8_000;
const running = new Map<string, Running>();

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** Sends what is left of an upload to its target. */
export function runUpload(client: Client, key: string, target: UploadTarget): void {
  const files = getFiles(key);
  if (!files) return;
  const abort = new AbortController();
  const state: Running = {
    key,
    client,
    files,
    target,
    abort,
    signal: abort.signal,
    samples: [],
    call: (run) => persist(key, abort.signal, run),
  };
  running.set(key, state);
  void run(state);
}

/** Retries an upload from where it stopped. */
export function rerunUpload(client: Client, key: string): void {
  const before = running.get(key);
  if (before) runUpload(client, key, before.target);
}

/** Ends the sending of an upload. */
export const stopUpload = (key: string): void => {
  running.get(key)?.abort.abort();
  running.delete(key);
};

async function run(state: Running): Promise<void> {
  const { key, signal, files, target } = state;
  addEventListener("beforeunload", warn);
  try {
    files.reset();
    for await (const session of target.sessions(state)) {
      signal.throwIfAborted();
      changeUpload(key, { state: "sending" });
      if (!session.isFinalized) await sendSession(state, session);
    }
    signal.throwIfAborted();
    const place = findUpload(key)?.place;
    removeStoredUpload(place?.kind === "recording" ? (place.recordingUid ?? key) : key);
    changeUpload(key, { state: "sent", problem: null, rate: null });
  } catch (error) {
    // One file's error stops the others of its upload too.
    state.abort.abort();
    if (findUpload(key) && running.get(key) === state)
      changeUpload(key, { state: "failed", problem: describe(error, target), rate: null });
  } finally {
    if (!isUploading()) removeEventListener("beforeunload", warn);
  }
}

async function sendSession(state: Running, session: OpenSession): Promise<void> {
  const { target, signal } = state;
  const links = new SessionLinks(target, state, session);
  await Promise.all(session.pending.map((file) => limitFiles(() => sendOne(state, links, file))));
  await links.confirm();
  signal.throwIfAborted();
  await state.call(() => target.finalize(state, session.uid));
}

function describe(error: unknown, { deletedText }: UploadTarget): string {
  if (error instanceof UploadFailed) return error.message;
  const { status, detail, issues } = readFailure(error);
  if (status === 404) return deletedText;
  return issues.map(({ message }) => message).join(" ") || detail;
}

/** Calls the server, retrying while it cannot be reached; refusals are thrown. */
async function persist<T>(key: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const { status, retryAfter } = readFailure(error);
      if (status !== undefined && status !== null && status > 0 && status < 500 && status !== 429) throw error;
      const isBusy = status === 429;
      const problem = isBusy ? "The server is busy." : "No connection.";
      changeUpload(key, { problem: `${problem} The upload resumes by itself.`, rate: null });
      await pause(Math.max((retryAfter ?? 0) * 1_000, Math.min(30_000, 1_000 * 2 ** tries)), signal);
      changeUpload(key, { problem: null });
    }
  }
}

async function sendOne(state: Running, links: SessionLinks, upload: UploadFile): Promise<void> {
  const { key, signal, files, target } = state;
  signal.throwIfAborted();
  const { file, path, size } = upload;
  if (!file) throw new UploadFailed(`Choose ${path} again.`);
  files.change(upload, { state: "sending" });
  const etag = await putFile({
    file,
    isFresh: size <= maxSmallBytes,
    deletedText: target.deletedText,
    signal,
    target: () => links.take(upload),
    onProgress: (sent) => {
      files.change(upload, { sent });
      noteRate(state);
    },
    onWaiting: (waiting) =>
      changeUpload(key, {
        problem: waiting && `${waiting.reason} The upload resumes by itself.`,
        ...(waiting && { rate: null }),
      }),
  });
  await links.note(upload, etag);
  changeUpload(key, {});
}

function noteRate({ key, files, samples }: { key: string; files: UploadFiles; samples: [number, number][] }): void {
  const now = Date.now();
  const bytes = files.sent;
  const last = samples.at(-1);
  if (last && now - last[0] < 250) return;
  if (last && bytes < last[1]) samples.length = 0;
  samples.push([now, bytes]);
  while (samples[0] && now - samples[0][0] > rateOverMs) samples.shift();
  const first = samples[0];
  const rate = first && now - first[0] >= 500 ? ((bytes - first[1]) / (now - first[0])) * 1_000 : undefined;
  changeUpload(key, rate === undefined ? {} : { rate });
}
