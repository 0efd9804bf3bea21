import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { share } from "@/server/testing/generated-cases";
import { compare, expectPixels, readPixels } from "./drawn-pixels";
import { expect, live, test, unique } from "./fixtures";
import { toPanelsAddress } from "./panel-address";
import { decodeFile, expectRow, makeFileRows, middles, pictureSize, pixels, rawRows } from "./picture-rows";
import { uploadRecording, waitUntilReady } from "./recording-files";
import {
  jsonTopic,
  protobufTopic,
  readReference,
  ros2IdlPictures,
  ros2Topic,
  second,
  start,
  toStamp,
  toTimestamp,
} from "./wire-formats";

/**
 * Which spec proves which messages, against what a library of another project decodes:
 *
 * | messages | formats | spec |
 * |---|---|---|
 * | Image, RawImage in every encoding; CompressedImage | ROS 2 (also with IDL), protobuf, JSON | message-pictures |
 * | clouds, compressed ones (Draco) and Detection3DArray over pictures, and in 3-D | ROS 2, JSON | cloud-pictures |
 * | compressedDepth, ImageAnnotations, Detection2DArray, CameraInfo, CameraCalibration | JSON | pictures-panel |
 * | CompressedVideo, FFMPEGPacket | ROS 2, protobuf, JSON | video |
 * | clouds, scans, grids with updates, voxels, poses, paths, odometry, markers, scene updates, twists, wrenches, … , robots with joints | ROS 2, protobuf, JSON | message-scene |
 * | clouds, scans, grids, odometry, markers, transforms | ROS 1 bag | message-scene |
 * | NavSatFix, LocationFix, GPSFix, GeoPoseStamped, GeoJSON | ROS 2, protobuf, JSON | message-texts |
 * | Log, DiagnosticArray, BatteryState as a message, a table and states | ROS 2, protobuf, JSON | message-texts |
 * | wrong lengths, huge sizes, damaged messages, values that are no numbers | ROS 2, JSON | message-errors |
 */
const topics = [
  ros2Topic("/ros2/raw", "sensor_msgs/Image"),
  protobufTopic("/proto/raw", "foxglove.RawImage"),
  ros2Topic("/ros2/file", "sensor_msgs/CompressedImage"),
  jsonTopic("/json/file", "foxglove_msgs/msg/CompressedImage"),
] as const;
const [ros2Raw, protoRaw, ros2File, jsonFile] = topics;
// What the engine makes of each is tested without a browser, too.
const rows = share(rawRows);

/** A message of each encoding every second; those of files begin again at their end. */
async function makeRecording(): Promise<Buffer> {
  const files = await makeFileRows();
  const messages = rows.flatMap((row, n): TestMessage[] => {
    const time = start + BigInt(n) * second;
    const { encoding, step, data, isBigEndian } = row;
    const raw = { ...pictureSize, encoding, step, data };
    const header = { stamp: toStamp(time), frame_id: "camera" };
    const file = files[n % files.length]!;
    const add = (topic: (typeof topics)[number], value: object): TestMessage => ({
      topic: topic.channel.topic,
      time,
      data: topic.write(value),
    });
    return [
      add(ros2Raw, { header, ...raw, is_bigendian: isBigEndian ? 1 : 0 }),
      // Foxglove's pictures are always little-endian: that one is left out.
      ...(isBigEndian ? [] : [add(protoRaw, { timestamp: toTimestamp(time), frame_id: "camera", ...raw })]),
      add(ros2File, { header, ...file }),
      add(jsonFile, { timestamp: toStamp(time), frame_id: "camera", ...file }),
    ];
  });
  return writeMcap(
    topics.map(({ channel }) => channel),
    messages,
    { compression: "zstd" },
  );
}

/**
 * Tolerances: 2 of 255 for the middles of squares of raw pictures, whose chroma is rounded to 8 bits; 6 for the pixels
 * of JPEG and AVIF, 0 for what is lossless. The reference of raw pictures is what was encoded, that of files what sharp decodes.
 */
test("every encoding of pictures is drawn as it was encoded, of ROS 2, protobuf and JSON", async ({
  page,
  api,
  request,
}) => {
  const bytes = await makeRecording();
  const reference = await readReference(bytes, topics);
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Encodings" });
  await waitUntilReady(api, uid);
  const panels = topics.map(({ channel }) => ({ type: "image", config: { topic: channel.topic } }));
  await page.goto(toPanelsAddress(uid, panels, isoFromNs(start)));
  await live(page);
  const files = new Map<string, number[]>();
  let earlier = "";
  for (const [n, row] of rows.entries()) {
    const moment = isoFromNs(start + BigInt(n) * second).slice(0, 19);
    for (const { channel } of topics) {
      const { topic } = channel;
      const isAbsent = topic === protoRaw.channel.topic && row.isBigEndian;
      const shown = isAbsent ? earlier : moment;
      await expect(
        page.getByRole("img", { name: new RegExp(`^Picture of ${topic} of ${shown}.*, 32 × 24`) }),
      ).toBeVisible();
      if (topic.endsWith("/raw")) {
        if (isAbsent) continue;
        const measure = async (): Promise<number> => {
          const drawn = await readPixels(page, topic);
          const found = middles.flatMap(({ x, y }) => drawn.slice((y * 32 + x) * 3, (y * 32 + x) * 3 + 3));
          return compare(found, expectRow(row).flat(), 2).most;
        };
        await expect.poll(measure, { message: `${topic} in ${row.encoding}, step ${row.step}` }).toBeLessThanOrEqual(2);
        continue;
      }
      const message = reference.get(topic)?.[n] as { format: string; data: string | Uint8Array };
      const data = typeof message.data === "string" ? Buffer.from(message.data, "base64") : message.data;
      const key = Buffer.from(data).toString("base64");
      const wanted = files.get(key) ?? (await decodeFile(data));
      files.set(key, wanted);
      const tolerance = /png|webp/.test(message.format) ? 0 : 6;
      await expectPixels(page, topic, wanted, { tolerance, message: `${topic} as ${message.format}` });
    }
    earlier = moment;
    await page.keyboard.press("ArrowRight");
  }
});

test("schemas in IDL are read by a script that is loaded when a recording has one @full", async ({
  page,
  api,
  request,
}) => {
  const topic = ros2IdlPictures("/idl/file");
  const [, , png] = await makeFileRows();
  const header = { stamp: toStamp(start), frame_id: "camera" };
  const messages = [0n, 1n].map((later) => ({
    topic: topic.channel.topic,
    time: start + later * second,
    data: topic.write({ header, ...png }),
  }));
  const bytes = await writeMcap([topic.channel], messages, { compression: "zstd" });
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "IDL" });
  await waitUntilReady(api, uid);
  const script = page.waitForRequest(/\/engine\/rare-encodings-\w+\.js$/);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await script;
  await expect(page.getByRole("img", { name: /^Picture of \/idl\/file of .*, 32 × 24/ })).toBeVisible();
  await expectPixels(page, "/idl/file", await decodeFile(png?.data ?? Buffer.of()));
});

test("messages of an unknown schema with the fields of a picture are offered as one, and drawn once that is chosen @full", async ({
  page,
  api,
  request,
}) => {
  const [, , png] = await makeFileRows();
  const named = (topic: string, of: string, schemaName: string) => {
    const wire = ros2Topic(topic, of);
    return { ...wire, channel: { ...wire.channel, schemaName } };
  };
  const wires = [
    named("/acme/raw", "sensor_msgs/Image", "acme_msgs/msg/Frame"),
    named("/acme/file", "sensor_msgs/CompressedImage", "acme_msgs/msg/File"),
  ] as const;
  const header = { stamp: toStamp(start), frame_id: "camera" };
  const raw = { ...pictureSize, encoding: "rgb8", is_bigendian: 0, step: pictureSize.width * 3, data: pixels };
  const messages = [0n, 1n].flatMap((later) =>
    [
      { header, ...raw },
      { header, ...png },
    ].map((value, n) => ({
      topic: wires[n]!.channel.topic,
      time: start + later * second,
      data: wires[n]!.write(value),
    })),
  );
  const bytes = await writeMcap(
    wires.map(({ channel }) => channel),
    messages,
    { compression: "zstd" },
  );
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Unknown schemas" });
  await waitUntilReady(api, uid);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Add a panel" }).click();
  const cameras = page.getByRole("dialog").getByRole("region", { name: "Camera" });
  await expect(cameras.getByRole("button")).toHaveText([
    "/acme/filelooks like an image",
    "/acme/rawlooks like an image",
  ]);
  await expect(page.getByRole("group", { name: /^Panel 1/ })).toHaveCount(0);
  await cameras.getByRole("button", { name: "/acme/raw" }).click();
  await expect(page.getByRole("img", { name: /^Picture of \/acme\/raw of .*, 32 × 24/ })).toBeVisible();
  await expectPixels(page, "/acme/raw", [...pixels]);
  await page.getByRole("button", { name: "Panel /acme/raw" }).click();
  await page.getByRole("menuitemcheckbox", { name: "/acme/file, looks like an image" }).click();
  await expect(page.getByRole("img", { name: /^Picture of \/acme\/file of .*, 32 × 24/ })).toBeVisible();
  await expectPixels(page, "/acme/file", await decodeFile(png?.data ?? Buffer.of()));
});
