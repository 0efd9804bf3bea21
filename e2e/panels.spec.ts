import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { checkAxe, expect, inEveryLook, live, test, unique, type Api } from "./fixtures";
import { uploadRecording } from "./recording-files";

const compressedImage = `std_msgs/Header header
string format
uint8[] data
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;
const jsonPicture = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});
const channels: TestChannel[] = [
  jsonPicture("/front", "foxglove.RawImage"),
  jsonPicture("/broken", "sensor_msgs/Image"),
  jsonPicture("/late", "foxglove.RawImage"),
  {
    topic: "/left",
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/CompressedImage",
    schemaEncoding: "ros2msg",
    schema: compressedImage,
  },
];

const start = 1_770_000_000_000_000_000n;
const pictures = 50;
/** The colour of the nth picture. */
const colourAt = (n: number): [number, number, number] => [n * 5, 255 - n * 5, (n % 2) * 200];

/** Five seconds of cameras at 10 Hz, each picture in its own colour; one that is broken, and one that begins late. */
async function cameraRecording(): Promise<Buffer> {
  const writer = new MessageWriter(parse(compressedImage, { ros2: true }));
  const messages: TestMessage[] = [];
  for (let n = 0; n < pictures; n++) {
    const time = start + BigInt(n) * 100_000_000n;
    const pixels = Buffer.concat(Array.from({ length: 48 }, () => Buffer.from(colourAt(n))));
    const raw = { width: 8, height: 6, encoding: "rgb8", step: 24, data: pixels.toString("base64") };
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    messages.push({ topic: "/front", time, data: json(raw) });
    messages.push({ topic: "/broken", time, data: json({ ...raw, height: 1_000 }) });
    if (n >= 30) messages.push({ topic: "/late", time, data: json(raw) });
    const png = await sharp(pixels, { raw: { width: 8, height: 6, channels: 3 } })
      .png()
      .toBuffer();
    const header = { stamp: { sec: 0, nanosec: 0 }, frame_id: "left" };
    messages.push({ topic: "/left", time, data: writer.writeMessage({ header, format: "png", data: png }) });
  }
  return writeMcap(channels, messages, { compression: "zstd", chunkBytes: 8_192 });
}

async function openCameras(page: Page, api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: await cameraRecording(),
    device: unique("robot"),
    name: "Cameras",
  });
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status, { timeout: 30_000 })
    .toBe("ready");
  return uid;
}

/** The colour in the middle of a camera's picture. */
const readColour = (page: Page, topic: string): Promise<number[]> =>
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

const section = (page: Page) => page.getByRole("region", { name: "Cameras" });

test("every camera shows its picture of the playhead, raw or compressed, from any encoding", async ({
  page,
  api,
  request,
}) => {
  const uid = await openCameras(page, api, request);
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_050_000_000n)}`);
  await live(page);
  await expect(section(page).getByRole("figure")).toHaveCount(4);
  for (const topic of ["/front", "/left"]) await expect.poll(() => readColour(page, topic)).toEqual(colourAt(10));
  await expect(
    page.getByRole("figure", { name: "/front" }).getByRole("img", { name: /2026-02-02T02:40:01.*8 × 6 pixels/ }),
  ).toBeVisible();

  // A message that says more than it carries does not stop the others.
  await expect(page.getByRole("figure", { name: "/broken" })).toContainText(
    "The message says 8 × 1000 rgb8 (24,000 bytes) but carries 144.",
  );
  await expect(page.getByRole("figure", { name: "/late" })).toContainText(
    "The first picture is of 2026-02-02T02:40:03",
  );

  await page.getByRole("figure", { name: "/late" }).getByRole("button", { name: "Go to it" }).click();
  for (const topic of ["/front", "/late"]) await expect.poll(() => readColour(page, topic)).toEqual(colourAt(30));

  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 4_000_000_000n)}`);
  for (const topic of ["/front", "/left", "/late"])
    await expect.poll(() => readColour(page, topic)).toEqual(colourAt(40));
});

test("pictures follow the playhead while the recording plays, and rest where it is stopped", async ({
  page,
  api,
  request,
}) => {
  const uid = await openCameras(page, api, request);
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start)}`);
  await live(page);
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(0));
  await page.keyboard.press("Space");
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      seen.add(String(await readColour(page, "/front")));
      return seen.size;
    })
    .toBeGreaterThan(5);
  // Played to its end, it shows its last picture.
  await expect.poll(() => readColour(page, "/front"), { timeout: 15_000 }).toEqual(colourAt(pictures - 1));
  await expect.poll(() => readColour(page, "/left")).toEqual(colourAt(pictures - 1));
});

test("is accessible in both themes, on desktop and phone", async ({ page, api, request }) => {
  const uid = await openCameras(page, api, request);
  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_000_000_000n)}`);
    await expect(section(page).getByRole("figure")).toHaveCount(4);
    await live(page);
    await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));
  });
  await checkAxe(page);
});
