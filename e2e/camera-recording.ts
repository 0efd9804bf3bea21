import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, unique, type Api } from "./fixtures";
import { once } from "./onlookers";
import { uploadRecording } from "./recording-files";

const compressedImage = `std_msgs/Header header
string format
uint8[] data
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;
const jsonChannel = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});
const channels: TestChannel[] = [
  jsonChannel("/front", "foxglove.RawImage"),
  jsonChannel("/broken", "sensor_msgs/Image"),
  jsonChannel("/late", "foxglove.RawImage"),
  jsonChannel("/rosout", "rcl_interfaces/msg/Log"),
  {
    topic: "/left",
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/CompressedImage",
    schemaEncoding: "ros2msg",
    schema: compressedImage,
  },
];

/** The time of the first picture, nanoseconds since 1970. */
export const start = 1_770_000_000_000_000_000n;
export const pictures = 50;
/** The colour of the nth picture. */
export const colourAt = (n: number): [number, number, number] => [n * 5, 255 - n * 5, (n % 2) * 200];

/** Five seconds of cameras at 10 Hz, each picture in its own colour; one that is broken, and one that begins late. */
async function cameraRecording(topics: readonly string[] | null): Promise<Buffer> {
  const writer = new MessageWriter(parse(compressedImage, { ros2: true }));
  const messages: TestMessage[] = [];
  for (let n = 0; n < pictures; n++) {
    const time = start + BigInt(n) * 100_000_000n;
    const pixels = Buffer.concat(Array.from({ length: 48 }, () => Buffer.from(colourAt(n))));
    const raw = { width: 8, height: 6, encoding: "rgb8", step: 24, data: pixels.toString("base64") };
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    messages.push({ topic: "/front", time, data: json(raw) });
    messages.push({ topic: "/broken", time, data: json({ ...raw, height: 1_000 }) });
    const line = { level: n % 10 === 0 ? 40 : 20, name: "motor", msg: `cycle ${n}${n % 10 === 0 ? " failed" : ""}` };
    messages.push({ topic: "/rosout", time: time + 1n, data: json(line) });
    if (n >= 30) messages.push({ topic: "/late", time, data: json(raw) });
    const png = await sharp(pixels, { raw: { width: 8, height: 6, channels: 3 } })
      .png()
      .toBuffer();
    const header = { stamp: { sec: 0, nanosec: 0 }, frame_id: "left" };
    messages.push({ topic: "/left", time, data: writer.writeMessage({ header, format: "png", data: png }) });
  }
  const wanted = ({ topic }: { topic: string }) => topics === null || topics.includes(topic);
  return writeMcap(channels.filter(wanted), messages.filter(wanted), { compression: "zstd", chunkBytes: 8_192 });
}

/**
 * Uploads the recording, or these topics of it, and waits until it is processed; resolves to its uid. Of a truncated one the
 * last tenth is missing.
 */
export async function openCameras(
  api: Api,
  request: Parameters<typeof uploadRecording>[1],
  topics: readonly string[] | null = null,
  { truncated = false } = {},
): Promise<string> {
  const bytes = await cameraRecording(topics);
  const { uid } = await uploadRecording(api, request, {
    bytes: truncated ? bytes.subarray(0, bytes.length * 0.9) : bytes,
    device: unique("robot"),
    name: "Cameras",
  });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

/** The colour in the middle of a camera's picture. */
export const readColour = (page: Page, topic: string): Promise<number[]> =>
  page
    .getByRole("figure", { name: topic })
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      // What a thread draws can be read through another canvas only.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data.slice(0, 3)];
    });

/** The same, uploaded once for all that only look at it. */
export const cameras = once(openCameras);
