import { expect, test } from "vitest";
import { z } from "zod";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { extract } from "@/server/features/moments/jobs";
import { prisma } from "@/server/platform/db";
import { makeDataset } from "@/server/testing/datasets";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { epoch, processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

const ms = 1_000_000n;
const channels = Object.entries({
  "/front/image": "foxglove.RawImage",
  "/front/camera_info": "foxglove.CameraCalibration",
  "/rear/image": "foxglove.RawImage",
  "/rear/camera_info": "foxglove.CameraCalibration",
  "/lidar": "foxglove.PointCloud",
  "/tf": "foxglove.FrameTransform",
  "/tf_static": "foxglove.FrameTransforms",
}).map(([topic, schemaName]): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
}));

const Vectors = z.object({ position: z.array(z.number()) });

const still = { x: 0, y: 0, z: 0, w: 1 };
const transform = (parent: string, child: string, [x, y, z]: readonly number[], rotation = still) => ({
  parent_frame_id: parent,
  child_frame_id: child,
  translation: { x, y, z },
  rotation,
});
const calibration = {
  frame_id: "front_optical",
  width: 8,
  height: 6,
  distortion_model: "plumb_bob",
  D: [0.1, 0, 0, 0, 0],
  K: [4, 0, 3.5, 0, 4, 2.5, 0, 0, 1],
  R: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  P: [4, 0, 3.5, 0, 0, 4, 2.5, 0, 0, 0, 1, 0],
};

/** Two seconds of a robot that drives a metre a second, with a lidar and two cameras, of which the rear is not calibrated. */
async function robotRecording(): Promise<Buffer> {
  const messages: TestMessage[] = [];
  const add = (topic: string, offset: number, value: object) =>
    messages.push({ topic, time: epoch + BigInt(offset) * ms, data: Buffer.from(JSON.stringify(value)) });
  const optical = { x: -0.5, y: 0.5, z: -0.5, w: 0.5 };
  add("/tf_static", 0, {
    transforms: [
      transform("base", "lidar", [0, 0, 2]),
      transform("base", "front_optical", [0.5, 0, 1], optical),
      transform("base", "rear_optical", [-0.5, 0, 1], optical),
    ],
  });
  add("/front/camera_info", 0, calibration);
  add("/rear/camera_info", 0, { ...calibration, frame_id: "rear_optical", K: [0, 0, 0, 0, 0, 0, 0, 0, 1] });
  const data = Buffer.alloc(48, 9).toString("base64");
  const fields = ["x", "y", "z"].map((name, n) => ({ name, offset: n * 4, type: 7 }));
  const points = Buffer.alloc(5 * 12, 1).toString("base64");
  for (let n = 0; n <= 20; n++) {
    add("/tf", n * 100, transform("map", "base", [n / 10, 0, 0]));
    const raw = { width: 8, height: 6, encoding: "mono8", step: 8, data };
    if (n % 10 === 5) {
      add("/front/image", n * 100 + 50, { ...raw, frame_id: "front_optical" });
      add("/rear/image", n * 100 + 50, { ...raw, frame_id: "rear_optical" });
      add("/lidar", n * 100, { frame_id: "lidar", point_stride: 12, fields, data: points });
    }
  }
  return writeMcap(channels, messages);
}

test("clouds and pictures keep where their sensors were and how cameras see, and pictures alone do not", async () => {
  const org = await makeOrganization();
  const recording = await processedRecording(org, (await makeDevice(org)).uid, [await robotRecording()]);
  const { moments } = createTrpcCaller(org);
  const range = { recording_id: recording, from: String(epoch), to: String(epoch + 2_000n * ms) };
  const add = async (topics: string[]) => {
    const { uid: dataset } = await makeDataset(org);
    await moments.add({ dataset, ...range, topics });
    await runJobs([extract, datasetJobs.examine]);
    const items = await prisma.item.findMany({ where: { datasetId: dataset }, orderBy: { uid: "asc" } });
    return items.map(({ metadata }) => metadata as Record<string, unknown> & { source: { topic: string } });
  };
  const items = await add(["/front/image", "/rear/image", "/lidar"]);
  const of = (topic: string) => items.filter(({ source }) => source.topic === topic);
  expect(items).toHaveLength(6);

  expect(of("/lidar").map(({ pose }) => pose)).toMatchObject([
    { frame_id: "map", position: [0.5, 0, 2], orientation: [0, 0, 0, 1] },
    { frame_id: "map", position: [1.5, 0, 2], orientation: [0, 0, 0, 1] },
  ]);
  // Half a metre before the robot, between two of its places.
  const [front] = of("/front/image");
  expect(front?.pose).toMatchObject({ frame_id: "map", orientation: [-0.5, 0.5, -0.5, 0.5] });
  const { position } = Vectors.parse(front?.pose);
  expect(position.map((each) => Math.round(each * 100))).toEqual([105, 0, 100]);
  expect(front?.calibration).toMatchObject({
    width: 8,
    height: 6,
    distortion_model: "plumb_bob",
    d: [0.1, 0, 0, 0, 0],
  });
  expect(readCalibration(front?.calibration)).toEqual(readCalibration(calibration));
  const [rear] = of("/rear/image");
  expect(rear).not.toHaveProperty("calibration");

  const alone = await add(["/front/image"]);
  expect(alone).toHaveLength(2);
  for (const metadata of alone) expect(metadata).not.toHaveProperty("calibration");
});
