import sharp from "sharp";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, unique, type Api } from "./fixtures";
import { once } from "./onlookers";
import { uploadRecording } from "./recording-files";

/** The time of the first picture, nanoseconds since 1970. */
export const start = 1_770_000_000_000_000_000n;
/** Of each picture, in pixels. */
export const size = { width: 16, height: 12 } as const;

const schemas = {
  "/cam/image": "foxglove.RawImage",
  "/cam/info": "foxglove.CameraCalibration",
  "/cam/shapes": "foxglove.ImageAnnotations",
  "/cam/boxes": "vision_msgs/Detection2DArray",
  "/depth/image": "sensor_msgs/CompressedImage",
  "/raw/image": "foxglove.RawImage",
  "/raw/info": "sensor_msgs/CameraInfo",
  "/odd/image": "foxglove.RawImage",
  "/odd/info": "sensor_msgs/CameraInfo",
} as const;

const toStamp = (time: bigint) => ({ sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) });

/** Left half red, right half blue, its first row white. */
const pixels = Buffer.concat(
  Array.from({ length: size.width * size.height }, (_, at) =>
    Buffer.from(at < size.width ? [255, 255, 255] : at % size.width < 8 ? [255, 0, 0] : [0, 0, 255]),
  ),
);

const calibration = (width: number, height: number, focal: number) => ({
  width,
  height,
  distortion_model: "plumb_bob",
  D: [0.8, 0, 0, 0, 0],
  K: [focal, 0, (width - 1) / 2, 0, focal, (height - 1) / 2, 0, 0, 1],
  R: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  P: [focal, 0, (width - 1) / 2, 0, 0, focal, (height - 1) / 2, 0, 0, 0, 1, 0],
});

/** A second of a calibrated camera with annotations, of depth, and of two cameras whose calibration cannot be used. */
async function pictureRecording(): Promise<Buffer> {
  const depth = Uint16Array.from({ length: size.width * size.height }, (_, at) => (at % 5 === 0 ? 0 : 1_000 + 10 * at));
  const png = await sharp(depth, { raw: { ...size, channels: 1 } })
    .toColourspace("grey16")
    .png()
    .toBuffer();
  const packed = Buffer.concat([Buffer.alloc(12), png]).toString("base64");
  const messages: TestMessage[] = [];
  for (let n = 0; n < 10; n++) {
    const time = start + BigInt(n) * 100_000_000n;
    const add = (topic: keyof typeof schemas, message: object, at = time) =>
      messages.push({ topic, time: at, data: Buffer.from(JSON.stringify(message)) });
    const timestamp = toStamp(time);
    const raw = { timestamp, ...size, encoding: "rgb8", step: size.width * 3, data: pixels.toString("base64") };
    for (const topic of ["/cam/image", "/raw/image", "/odd/image"] as const) add(topic, raw);
    add("/depth/image", { header: { stamp: timestamp }, format: "16UC1; compressedDepth png", data: packed });
    add("/cam/info", { timestamp, ...calibration(size.width, size.height, 12) });
    add("/raw/info", calibration(size.width, size.height, 0));
    add("/odd/info", calibration(32, 24, 12));
    const colour = { r: 1, g: 1, b: 0, a: 1 };
    // Logged late, as a detector does, with the stamp of its picture.
    add(
      "/cam/shapes",
      {
        circles: [{ timestamp, position: { x: 8, y: 6 }, diameter: 4, thickness: 1, outline_color: colour }],
        points: [
          {
            timestamp,
            type: 4,
            points: [
              { x: 0, y: 0 },
              { x: 16, y: 12 },
              { x: 3, y: 3 },
            ],
            outline_color: colour,
          },
        ],
        texts: [{ timestamp, position: { x: 1, y: 11 }, text: "pallet", font_size: 3, text_color: colour }],
      },
      time + 40_000_000n,
    );
    // Always half a second behind: what it found belongs to other pictures.
    add("/cam/boxes", {
      header: { stamp: toStamp(time - 500_000_000n) },
      detections: [
        {
          bbox: { center: { position: { x: 8, y: 6 }, theta: 0 }, size_x: 4, size_y: 4 },
          results: [{ hypothesis: { class_id: "box", score: 0.5 } }],
        },
      ],
    });
  }
  const channels = Object.entries(schemas).map(([topic, schemaName]) => ({
    topic,
    messageEncoding: "json",
    schemaName,
    schemaEncoding: "jsonschema",
    schema: "{}",
  }));
  messages.sort((a, b) => Number(a.time - b.time));
  return writeMcap(channels, messages, { compression: "zstd", chunkBytes: 8_192 });
}

/** Uploads the recording and waits until it is processed; resolves to its uid. */
async function openPictures(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: await pictureRecording(),
    device: unique("robot"),
    name: "Pictures",
  });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

/** The same, uploaded once for all that only look at it. */
export const pictures = once(openPictures);
