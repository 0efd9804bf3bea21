import fs from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { expireInactiveUploads } from "@/server/features/recordings/expiry-service";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { removeLeftovers } from "@/server/platform/storage/leftovers";
import { diskStore } from "@/server/platform/storage/own";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";
import { filesOfKey } from "@/server/testing/stored-files";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const size = 100;
const toStream = (bytes: number) => new Blob([new Uint8Array(bytes)]).stream();
const day = 24 * 3_600_000;

/** An upload with a confirmed file, one that is complete but not confirmed, and one of which a part was received. */
async function startUpload() {
  const { uid: deviceId } = await makeDevice(org);
  const as = { key: org.key };
  const { body: recording } = await request("POST", "/fleet/recordings/", { ...as, body: { device_id: deviceId } });
  const at = `/fleet/recordings/${recording.uid}/upload`;
  const names = ["confirmed.mcap", "complete.mcap", "partial.mcap"];
  const files = names.map((path) => ({ path, size_bytes: size }));
  const { body: session } = await request<UploadSessionResource>("POST", `${at}/init/`, { ...as, body: { files } });
  const keys = new Map(
    (await prisma.storedFile.findMany({ where: { sessionId: session.uid } })).map((file) => [
      file.path,
      file.storageKey,
    ]),
  );
  const [confirmed = "", complete = "", partial = ""] = names.map((name) => keys.get(name));
  const { etag } = await diskStore().put(confirmed, toStream(size), size);
  const claim = { path: "confirmed.mcap", etag, size_bytes: size };
  await request("POST", `${at}/confirm/`, { ...as, body: { session_uid: session.uid, files: [claim] } });
  await diskStore().put(complete, toStream(size), size);
  const part = { start: 0, end: 40, sizeBytes: size, body: toStream(40) };
  await diskStore().receive(partial, part, (publish) => publish());
  return { uid: recording.uid, at, session: session.uid, keys: { confirmed, complete, partial } };
}

test("an upload that expired loses the files that were not confirmed, and accepts nothing any more", async () => {
  const { uid, at, session, keys } = await startUpload();
  const other = await startUpload();
  const urls = { session_uid: session, file_paths: ["partial.mcap"] };
  const { body: signed } = await request<SignedUrls>("POST", `${at}/urls/`, { key: org.key, body: urls });
  const silentSince = new Date(Date.now() - 8 * day);
  await prisma.recording.update({ where: { uid }, data: { activeAt: silentSince } });
  await expireInactiveUploads();
  await runQueuedJobs(jobs.removeUnconfirmed, { recordingId: uid });
  const remaining = Object.values(keys).map((key) => filesOfKey(key).length);
  expect([remaining, Object.values(other.keys).map((key) => filesOfKey(key).length)]).toEqual([
    [1, 0, 0],
    [1, 1, 1],
  ]);
  const { filesRouter } = await import("@/server/transport/files/files-router");
  const late = await filesRouter.request(signed.urls[0]?.put_url ?? "", { method: "PUT", body: new Uint8Array(size) });
  expect([late.status, filesOfKey(keys.partial)]).toEqual([409, []]);
  const refused = await request("POST", `${at}/urls/`, { key: org.key, body: urls });
  expect([refused.status, refused.body]).toEqual([400, { session_uid: ["This upload was given up."] }]);
});

test("bytes of unfinished uploads are removed after a day unless their upload may continue; objects never are", async () => {
  const { keys, session } = await startUpload();
  const over = await startUpload();
  await prisma.uploadSession.update({ where: { uid: over.session }, data: { status: "finalized" } });
  const unknown = `recordings/${org.uid}/gone/f`;
  const part = { start: 0, end: 40, sizeBytes: size, body: toStream(40) };
  await diskStore().receive(unknown, part, (publish) => publish());
  const partials = [keys.partial, over.keys.partial, unknown];
  const count = () => partials.map((key) => filesOfKey(key).length);
  const signal = new AbortController().signal;
  await removeLeftovers(new Date(Date.now() - day), signal);
  expect(count()).toEqual([1, 1, 1]);
  for (const file of partials.flatMap((key) => filesOfKey(key))) fs.utimesSync(file, new Date(0), new Date(0));
  await removeLeftovers(new Date(1), signal);
  expect(count()).toEqual([1, 0, 0]);
  expect([keys.complete, over.keys.complete].map((key) => filesOfKey(key).length)).toEqual([1, 1]);
  await diskStore().deletePrefix(`recordings/${org.uid}/`);
  await prisma.uploadSession.delete({ where: { uid: session } });
});
