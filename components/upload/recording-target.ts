"use client";

import { UploadFailed } from "./put-file";
import { storeUpload } from "./stored-uploads";
import { changeUpload, findUpload, type UploadPlace } from "./upload-store";
import type { OpenSession, RunningUpload, UploadTarget } from "./upload-target";

/** The place of an upload of a recording, as it is now. Throws when the upload was removed. */
function getPlace({ key }: RunningUpload): Extract<UploadPlace, { kind: "recording" }> {
  const place = findUpload(key)?.place;
  if (place?.kind !== "recording") throw new UploadFailed("Canceled.");
  return place;
}

const getUid = (upload: RunningUpload): string => getPlace(upload).recordingUid ?? "";

/** Creates the recording and opens its session, unless that was done before. */
async function begin(upload: RunningUpload, onCreated: (uid: string) => void): Promise<string> {
  const { key, client, files, call } = upload;
  const place = getPlace(upload);
  const name = findUpload(key)?.name ?? "";
  let uid = place.recordingUid;
  if (uid === null) {
    uid = (await client.recordings.create.mutate({ device_id: place.deviceId ?? undefined, name })).uid;
    changeUpload(key, { place: { ...place, recordingUid: uid } });
    onCreated(uid);
  }
  const list = files.list();
  // Opening it again with the same files returns the same session.
  const recordingUid = uid;
  const session = await call(() =>
    client.recordings.upload.init.mutate({
      uid: recordingUid,
      files: list.map(({ path, size }) => ({ path, size_bytes: size })),
    }),
  );
  storeUpload({
    recordingUid,
    sessionUid: session.uid,
    deviceName: place.deviceName,
    name,
    files: list.map(({ path, size }) => ({ path, size })),
    at: Date.now(),
  });
  return uid;
}

/** A recording: one session with all of its files. */
export const recordingTarget = (onCreated: (uid: string) => void): UploadTarget => ({
  deletedText: "The recording was deleted meanwhile.",
  async *sessions(upload): AsyncGenerator<OpenSession> {
    const { client, files, call } = upload;
    const uid = await begin(upload, onCreated);
    const status = await call(() => client.recordings.upload.status.query({ uid }));
    if (status.recording_status === "error")
      throw new UploadFailed("The server has dropped this upload. Upload the files again.");
    const open = new Set(status.pending_paths);
    for (const file of files.list()) if (!open.has(file.path)) files.finish(file);
    const pending = files.list().filter(({ state }) => state !== "done");
    yield { uid: status.session_uid, pending, isFinalized: status.status !== "active" };
  },
  urls: (upload, session_uid, file_paths) =>
    upload.client.recordings.upload.urls.mutate({ uid: getUid(upload), session_uid, file_paths }),
  confirm: (upload, session_uid, files) =>
    upload.client.recordings.upload.confirm.mutate({ uid: getUid(upload), session_uid, files }),
  finalize: (upload, session_uid) =>
    upload.client.recordings.upload.finalize.mutate({ uid: getUid(upload), session_uid }),
});
