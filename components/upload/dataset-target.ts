"use client";

import { readFailure } from "@/components/product/failure";
import { maxLookUp } from "@/domain/datasets/upload-schema";
import { sortOut, type Answer } from "./dataset-names";
import { isReadable, UploadFailed } from "./put-file";
import { storeUpload } from "./stored-uploads";
import type { UploadFile } from "./upload-files";
import { changeUpload, findUpload, type DatasetPlace } from "./upload-store";
import type { OpenSession, RunningUpload, UploadTarget } from "./upload-target";

/** Files of one session. */
const sessionFiles = maxLookUp;

function getPlace({ key }: Pick<RunningUpload, "key">): DatasetPlace {
  const place = findUpload(key)?.place;
  if (place?.kind !== "dataset") throw new UploadFailed("Canceled.");
  return place;
}

/** Stores the upload over a reload, with what is known of it now. */
function store(upload: RunningUpload): void {
  const { owner, slug, datasetName, sessions, taken } = getPlace(upload);
  storeUpload({
    kind: "dataset",
    key: upload.key,
    owner,
    slug,
    datasetName,
    name: findUpload(upload.key)?.name ?? "",
    fileCount: upload.files.count,
    totalBytes: upload.files.bytes,
    sessions,
    taken,
    at: Date.now(),
  });
}

/** Takes files out that the browser cannot read any more, before they are declared. */
async function keepReadable({ files, signal }: RunningUpload, chunk: readonly UploadFile[]): Promise<UploadFile[]> {
  const readable: UploadFile[] = [];
  for (const each of chunk) {
    signal.throwIfAborted();
    if (each.file && (await isReadable(each.file))) readable.push(each);
    else files.remove(each, "It can no longer be read: it was moved or changed.");
  }
  return readable;
}

/** The files that a refusal names by their position, with the reasons; null for a refusal of something else. */
function readRefused(error: unknown, chunk: readonly UploadFile[]): Map<UploadFile, string> | null {
  const { issues } = readFailure(error);
  const refused = new Map<UploadFile, string>();
  for (const { path, message } of issues) {
    const file = path[0] === "files" && typeof path[1] === "number" ? chunk[path[1]] : undefined;
    if (!file) return null;
    refused.set(file, message);
  }
  return refused.size > 0 ? refused : null;
}

/** Opens a session for files; those that the server refuses are taken out with its reasons. */
async function open(upload: RunningUpload, wanted: readonly UploadFile[]): Promise<OpenSession | null> {
  const { client, call, files, key } = upload;
  let chunk = await keepReadable(upload, wanted);
  while (chunk.length > 0) {
    const { owner, slug } = getPlace(upload);
    try {
      const session = await call(() =>
        client.datasets.upload.init.mutate({
          owner,
          slug,
          files: chunk.map(({ path, size }) => ({ path, size_bytes: size })),
        }),
      );
      const place = getPlace(upload);
      changeUpload(key, { place: { ...place, sessions: [...new Set([...place.sessions, session.uid])] } });
      store(upload);
      return { uid: session.uid, pending: chunk, isFinalized: session.status === "finalized" };
    } catch (error) {
      const refused = readRefused(error, chunk);
      if (!refused) throw error;
      for (const [file, reason] of refused) files.remove(file, reason);
      chunk = chunk.filter((file) => !refused.has(file));
    }
  }
  return null;
}

/** A dataset: a chain of sessions. `ask` resolves to what happens with the files whose names are taken. */
export const datasetTarget = (
  ask: (upload: RunningUpload, taken: readonly string[]) => Promise<Answer>,
): UploadTarget => ({
  deletedText: "The dataset was deleted meanwhile.",
  async *sessions(upload): AsyncGenerator<OpenSession> {
    const { files, client, call } = upload;
    const { owner, slug, sessions, taken } = getPlace(upload);
    const sorted = await sortOut({
      files,
      place: { sessions, taken },
      lookUp: (paths) =>
        call(() => client.datasets.upload.lookUp.mutate({ owner, slug, paths, sessions: [...sessions] })),
      ask: (names) => ask(upload, names),
    });
    store(upload);
    for (const [uid, pending] of sorted.open) yield { uid, pending, isFinalized: false };
    const waiting = files.list().filter(({ state }) => state === "waiting");
    for (let at = 0; at < waiting.length; at += sessionFiles) {
      const session = await open(upload, waiting.slice(at, at + sessionFiles));
      if (session) yield session;
    }
  },
  urls: (upload, session_uid, file_paths) => {
    const { owner, slug } = getPlace(upload);
    return upload.client.datasets.upload.urls.mutate({ owner, slug, session_uid, file_paths });
  },
  confirm: (upload, session_uid, files) => {
    const { owner, slug } = getPlace(upload);
    return upload.client.datasets.upload.confirm.mutate({ owner, slug, session_uid, files });
  },
  finalize: (upload, session_uid) => {
    const { owner, slug } = getPlace(upload);
    return upload.client.datasets.upload.finalize.mutate({ owner, slug, session_uid });
  },
});
