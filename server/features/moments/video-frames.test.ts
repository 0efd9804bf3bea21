import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { videoRecording, videoTime } from "@/engine/testing/video-recording";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { extract } from "@/server/features/moments/jobs";
import { prisma } from "@/server/platform/db";
import { makeDataset, picture } from "@/server/testing/datasets";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "moments-"));
const before = process.env.PATH;
afterEach(() => void (process.env.PATH = before));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("video becomes pictures where the server has ffmpeg, and only a clip where it has none", async () => {
  const org = await makeOrganization();
  const video = await videoRecording([{ topic: "/front", clip: "h264", form: "ros2" }]);
  const recording = await processedRecording(org, (await makeDevice(org)).uid, [video]);
  const { uid: dataset } = await makeDataset(org);
  const input = { dataset, recording_id: recording, from: String(videoTime(10)), to: String(videoTime(14)) };
  const { moments } = createTrpcCaller(org);
  const listTopics = async () =>
    (await moments.preview(input)).topics.map(({ name, kind, frames }) => [name, kind, frames]);
  process.env.PATH = "/nowhere";
  expect(await listTopics()).toEqual([["/front", "other", 0]]);

  // In place of ffmpeg: its picture is always the same.
  const location = path.join(folder, "picture.jpg");
  fs.writeFileSync(location, await picture(64, 48, "jpeg"));
  fs.writeFileSync(path.join(folder, "ffmpeg"), `#!/bin/sh\nexec /bin/cat ${location}\n`, { mode: 0o755 });
  process.env.PATH = folder;
  expect(await listTopics()).toEqual([["/front", "image", 5]]);
  const { moment_uid: uid } = await moments.add(input);
  await runJobs([extract, datasetJobs.examine]);
  expect(await moments.get({ uid: uid ?? "" })).toMatchObject({ status: "done", added: 5, failed: 0 });
  const items = await prisma.item.findMany({ where: { datasetId: dataset }, orderBy: { uid: "asc" } });
  expect(items.map(({ key, mediaType }) => [key, mediaType])).toEqual(
    [10, 11, 12, 13, 14].map((n) => [`${recording}/front/${videoTime(n)}.jpg`, "image/jpeg"]),
  );

  // Lost between the plan and the work: what cannot be made is counted, with the reason.
  const later = { ...input, from: String(videoTime(20)), to: String(videoTime(21)) };
  const lost = await moments.add(later);
  process.env.PATH = "/nowhere";
  await runJobs([extract, datasetJobs.examine]);
  expect(await moments.get({ uid: lost.moment_uid ?? "" })).toMatchObject({
    status: "done",
    added: 0,
    failed: 2,
    error: "/front: Pictures of video are made only where the server has ffmpeg.",
  });
});
