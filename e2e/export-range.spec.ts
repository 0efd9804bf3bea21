import { readFile } from "node:fs/promises";
import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader } from "@mcap/core";
import type { APIRequestContext, Locator, Page } from "@playwright/test";
import sharp from "sharp";
import { videoRecording, videoTime } from "@/engine/testing/video-recording";
import { writeMcap } from "@/engine/testing/write-mcap";
import { openCameras, start } from "./camera-recording";
import { checkAxe, expect, expectNoPageScroll, live, test, unique, widths, type Api } from "./fixtures";
import { uploadRecording } from "./recording-files";
import { readVideoFile } from "./video-file";

/** The messages of an uncompressed or zstd file, by another project's reader. */
async function readTopics(file: string): Promise<{ topic: string; time: bigint }[]> {
  await zstd.isLoaded;
  const bytes = await readFile(file);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (from, size) => Promise.resolve(bytes.subarray(Number(from), Number(from + size))),
    },
    decompressHandlers: { zstd: (packed, size) => zstd.decompress(packed, Number(size)) },
  });
  const messages: { topic: string; time: bigint }[] = [];
  for await (const { channelId, logTime } of reader.readMessages({ validateCrcs: true }))
    messages.push({ topic: reader.channelsById.get(channelId)?.topic ?? "", time: logTime });
  return messages;
}

const second = 1_000_000_000n;

test("a range of a recording is exported with chosen topics, by keys and by menu", async ({ page, api, request }) => {
  const uid = await openCameras(api, request);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
  // The second to the third second becomes the playback range, and with it the range that is offered.
  for (const key of ["ArrowRight", "i", "ArrowRight", "o", "Shift+C"]) await page.keyboard.press(key);
  const dialog = page.getByRole("dialog", { name: "Export a range" });
  await expect(dialog.getByLabel("From, UTC")).toHaveValue("2026-02-02 02:40:01");
  await expect(dialog.getByLabel("To, UTC")).toHaveValue("2026-02-02 02:40:02");
  await expect(dialog.getByText(/^About/)).toBeVisible();
  await checkAxe(page);
  await dialog.getByRole("checkbox", { name: "/left" }).click();
  await dialog.getByRole("checkbox", { name: "/late" }).click();
  await expect(dialog.getByRole("checkbox", { name: /^All/ })).toBeChecked({ indeterminate: true });
  await expect(dialog.getByLabel("Code")).toContainText(`muster download ${uid} --from 2026-02-02T02:40:01Z`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Cameras 2026-02-02T02-40-01Z.mcap");
  const messages = await readTopics(await download.path());
  const inside = messages.filter(({ time }) => time >= start + second);
  expect(inside.filter(({ topic }) => topic === "/front")).toHaveLength(11);
  expect(messages.some(({ topic }) => topic === "/left" || topic === "/late")).toBe(false);
  expect(messages.every(({ time }) => time <= start + 2n * second)).toBe(true);
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: "Actions for Cameras" }).click();
  await page.getByRole("menuitem", { name: "Export a range" }).click();
  await dialog.getByRole("combobox", { name: "Format" }).click();
  await page.getByRole("option", { name: "Pictures" }).click();
  await expect(dialog.getByRole("checkbox", { name: "/rosout" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Whole recording" }).click();
  await dialog.getByLabel("To, UTC").fill("soon");
  await expect(dialog.getByText("Enter a time such as 2026-01-02 03:04:05.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Download" })).toBeDisabled();
  await dialog.getByRole("button", { name: "Visible range" }).click();
  const [pictures] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(pictures.suggestedFilename()).toMatch(/\.zip$/);
  expect((await readFile(await pictures.path())).subarray(0, 2).toString()).toBe("PK");
});

const size = { width: 480, height: 272 };

/** A picture that carries its number in 16 squares along its top. */
const drawNumbered = (n: number): Promise<Buffer> => {
  const square = size.width / 16;
  const pixels = Buffer.alloc(size.width * size.height, 90);
  for (let y = 0; y < square; y++)
    for (let x = 0; x < size.width; x++) pixels[y * size.width + x] = (n >> Math.floor(x / square)) & 1 ? 235 : 16;
  return sharp(pixels, { raw: { ...size, channels: 1 } })
    .jpeg()
    .toBuffer();
};

/** Three seconds of a camera at 10 Hz, whose tenth picture is damaged. */
async function openNumbered(api: Api, request: APIRequestContext): Promise<string> {
  const messages = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const data = n === 10 ? Buffer.from("none") : await drawNumbered(n);
      const message = { header: { stamp: { sec: 0, nsec: 0 } }, format: "jpeg", data: data.toString("base64") };
      return { topic: "/front", time: videoTime(n), data: Buffer.from(JSON.stringify(message)) };
    }),
  );
  const schemaName = "sensor_msgs/CompressedImage";
  const channel = { topic: "/front", schemaName, messageEncoding: "json", schemaEncoding: "jsonschema", schema: "{}" };
  return uploadBytes(api, request, await writeMcap([channel], messages, { compression: "zstd", chunkBytes: 65_536 }));
}

async function uploadBytes(api: Api, request: APIRequestContext, bytes: Buffer): Promise<string> {
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Numbered" });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

/** Opens the dialog for a range in seconds of the recording, as a video of a camera. */
async function openVideo(page: Page, uid: string, [from, to]: readonly [string, string]): Promise<Locator> {
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.keyboard.press("Shift+C");
  const dialog = page.getByRole("dialog", { name: "Export a range" });
  await dialog.getByLabel("From, UTC").fill(`2026-02-02 02:40:${from}`);
  await dialog.getByLabel("To, UTC").fill(`2026-02-02 02:40:${to}`);
  await dialog.getByRole("combobox", { name: "Format" }).click();
  await page.getByRole("option", { name: "Video" }).click();
  return dialog;
}

const counted = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

test("pictures of a camera become an MP4 file, each shown until the next one @full", async ({ page, api, request }) => {
  const uid = await openNumbered(api, request);
  const dialog = await openVideo(page, uid, ["00.5", "02.5"]);
  await expect(dialog.getByRole("combobox", { name: "Camera" })).toContainText("/front");
  await checkAxe(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Numbered 2026-02-02T02-40-00.5Z.mp4");
  await expect(
    page.getByText(/^Made a video of 20 pictures in (H\.264|VP9|AV1); 1 message could not be read/),
  ).toBeVisible();
  await expect(dialog).toBeHidden();
  const { codec, times, numbers } = await readVideoFile(await download.path());
  expect(["h264", "vp9", "av1"]).toContain(codec);
  const expected = counted(5, 25).filter((n) => n !== 10);
  expect(times.map((time) => Math.round(time * 10) + 5)).toEqual(expected);
  if (numbers !== null) expect(numbers).toEqual(expected);
});

test("video is put into an MP4 file from its keyframe on, encoded again only where pictures are out of order @full", async ({
  page,
  api,
  request,
}) => {
  const bytes = await videoRecording([
    { topic: "/h264", clip: "h264", form: "ros2" },
    { topic: "/reordered", clip: "h264-b", form: "protobuf" },
  ]);
  const uid = await uploadBytes(api, request, bytes);
  for (const camera of ["/h264", "/reordered"]) {
    const dialog = await openVideo(page, uid, ["02", "03"]);
    await dialog.getByRole("combobox", { name: "Camera" }).click();
    await page.getByRole("option", { name: camera }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click(),
    ]);
    const said = camera === "/h264" ? "16 pictures in H.264, as recorded" : /16 pictures in (H\.264|VP9|AV1)$/;
    await expect(page.getByText(said)).toBeVisible();
    const { codec, times, numbers } = await readVideoFile(await download.path());
    if (camera === "/h264") expect(codec).toBe("h264");
    expect(times.map((time) => Math.round(time * 10) + 15)).toEqual(counted(15, 30));
    if (numbers !== null) expect(numbers).toEqual(counted(15, 30));
  }
});

test("a video is cancelled while it waits for the recording, and a browser that encodes none says so @full", async ({
  page,
  api,
  request,
}) => {
  const uid = await openNumbered(api, request);
  const dialog = await openVideo(page, uid, ["00", "03"]);
  let downloads = 0;
  page.on("download", () => (downloads += 1));
  let held = 0;
  // Held until the page gives up.
  await page.route(`**/media/recordings/${uid}/**`, () => void (held += 1));
  await dialog.getByRole("button", { name: "Download" }).click();
  await expect(dialog.getByRole("progressbar", { name: "Video" })).toBeVisible();
  await expect.poll(() => held).toBeGreaterThan(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(downloads).toBe(0);

  await page.addInitScript(() => Reflect.deleteProperty(window, "VideoEncoder"));
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.keyboard.press("Shift+C");
  await dialog.getByRole("combobox", { name: "Format" }).click();
  const option = page.getByRole("option", { name: /Video/ });
  await expect(option).toBeDisabled();
  await expect(option).toContainText("This browser does not encode video");
  // Its long lines wrap where there is no room for them.
  await page.setViewportSize(widths.phone);
  await expectNoPageScroll(page);
});
