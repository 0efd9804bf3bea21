import type { APIRequestContext, Page } from "@playwright/test";
import sharp from "sharp";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { clip, toLengthPrefixed } from "@/engine/testing/clips";
import { videoRecording, videoTime, type VideoTopic } from "@/engine/testing/video-recording";
import { checkAxe, expect, inEveryLook, live, unique, widths, type Api } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { uploadRecording } from "./recording-files";

const panel = (page: Page, topic: string) => page.getByRole("figure", { name: topic, exact: true });

/** The number that a picture carries in 16 squares along its top; -1 for a canvas without a picture. */
const readNumber = (page: Page, topic: string): Promise<number> =>
  panel(page, topic)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      // What a thread draws can be read through another canvas only.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      const square = canvas.width / 16;
      let number = 0;
      for (let bit = 0; bit < 16; bit++) {
        const [light, , , alpha] = context.getImageData(bit * square + square / 2, square / 2, 1, 1).data;
        if (alpha === 0) return -1;
        if (light! > 128) number |= 1 << bit;
      }
      return number;
    });

async function open(api: Api, request: APIRequestContext, topics: readonly VideoTopic[]): Promise<string> {
  const bytes = await videoRecording(topics);
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Video" });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

const video = (topics: readonly VideoTopic[]) => once((api, request) => open(api, request, topics));

async function visit(page: Page, uid: string, n: number, search = ""): Promise<void> {
  await page.goto(`/recordings/${uid}?t=${isoFromNs(videoTime(n))}${search}`);
  await live(page);
}

/** A picture that a thread drew: the number it carries, and that of the message it was decoded of. */
interface DrawnFrame {
  canvas: number;
  number: number;
  unit: number;
}

/** Watches the threads of a page: counts pictures that they did not close, and lists those that they drew. */
async function watchFrames(page: Page) {
  await page.route("**/engine/recording.worker-*.js", async (route) => {
    const response = await route.fetch();
    const watch = `self.openFrames = 0; self.drawnFrames = []; self.VideoDecoder = class extends VideoDecoder {
      constructor({ output, error }) {
        super({ error, output: (frame) => {
          self.openFrames++;
          const close = frame.close.bind(frame);
          frame.close = () => { self.openFrames--; close(); };
          output(frame);
        } });
      }
    };
    const canvases = [];
    const { drawImage } = OffscreenCanvasRenderingContext2D.prototype;
    OffscreenCanvasRenderingContext2D.prototype.drawImage = function (image, ...place) {
      drawImage.call(this, image, ...place);
      if (!(image instanceof VideoFrame)) return;
      if (!canvases.includes(this)) canvases.push(this);
      const { width } = this.canvas;
      const square = width / 16;
      const { data } = this.getImageData(0, Math.floor(square / 2), width, 1);
      let number = 0;
      for (let bit = 0; bit < 16; bit++) if (data[4 * Math.floor((bit + 0.5) * square)] > 128) number |= 1 << bit;
      self.drawnFrames.push({ canvas: canvases.indexOf(this), number, unit: image.timestamp });
    };`;
    await route.fulfill({ response, body: watch + (await response.text()) });
  });
  const threads = () => page.workers().filter((thread) => thread.url().includes("/engine/recording"));
  const countOpen = async () => {
    const counts = await Promise.all(
      threads().map((thread) => thread.evaluate(() => (self as unknown as { openFrames: number }).openFrames)),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const listDrawn = async () => {
    const lists = await Promise.all(
      threads().map((thread) => thread.evaluate(() => (self as unknown as { drawnFrames: DrawnFrame[] }).drawnFrames)),
    );
    return lists.flat();
  };
  return { countOpen, listDrawn };
}

const decodable: VideoTopic[] = [
  { topic: "/h264", clip: "h264", form: "ros2" },
  { topic: "/reordered", clip: "h264-b", form: "protobuf" },
  { topic: "/vp9", clip: "vp9", form: "json" },
  { topic: "/av1", clip: "av1", form: "packet" },
];
const everyCodec = video(decodable);
const simple = video([{ topic: "/h264", clip: "h264", form: "ros2" }]);
const h265: VideoTopic = { topic: "/hevc", clip: "h265", form: "packet" };
const foreign = video([h265]);
const foreignAndDamaged = video([h265, { topic: "/reordered", clip: "h264-b", form: "ros2", has: (n) => n !== 16 }]);

test("video of every codec shows the exact picture of any moment, after jumps and steps, and closes all pictures", async ({
  page,
}) => {
  const uid = await everyCodec();
  const { countOpen: countFrames } = await watchFrames(page);
  await visit(page, uid, 23, "&tab=message&topic=/h264");
  const expectNumber = async (n: number) => {
    for (const { topic } of decodable) await expect.poll(() => readNumber(page, topic), { message: topic }).toBe(n);
  };
  await expectNumber(23);
  await expect(
    panel(page, "/h264").getByRole("img", { name: /2026-02-02T02:40:02\.3.*480 × 272 pixels/ }),
  ).toBeVisible();
  await expect(panel(page, "/reordered")).toContainText("times are within 2 frames");
  await expect(panel(page, "/h264")).not.toContainText("times are within");

  let at = 23;
  // Steps of a message and of a second, within a group of pictures and across keyframes, there and back.
  for (const [key, step] of [
    [".", 1],
    [".", 1],
    [",", -1],
    ["ArrowRight", 10],
    ["ArrowRight", 10],
    [".", 1],
    [".", 1],
    ["ArrowLeft", -10],
    ["ArrowLeft", -10],
    [",", -1],
    ["ArrowLeft", -10],
    ["ArrowRight", 10],
  ] as const) {
    await page.keyboard.press(key);
    at += step;
    await expectNumber(at);
  }
  // Two that a step forward would show, of the video that is not in order.
  await expect.poll(countFrames).toBeLessThanOrEqual(2);
  for (const n of [0, 44, 59]) {
    await visit(page, uid, n);
    await expectNumber(n);
  }
  await expect.poll(countFrames).toBe(0);
});

test("video plays to its end and closes all pictures @full", async ({ page }) => {
  const uid = await everyCodec();
  const { countOpen: countFrames, listDrawn } = await watchFrames(page);
  await visit(page, uid, 0);
  await expect.poll(() => readNumber(page, "/vp9")).toBe(0);
  await page.keyboard.press("Space");
  for (const { topic } of decodable) await expect.poll(() => readNumber(page, topic), topic).toBe(59);
  await expect.poll(countFrames).toBe(0);
  // However many pictures were left out, those that were drawn came in order, each as that of its own message.
  const drawn = await listDrawn();
  const canvases = [...new Set(drawn.map(({ canvas }) => canvas))];
  expect(canvases).toHaveLength(decodable.length);
  for (const canvas of canvases) {
    const numbers = drawn.filter((each) => each.canvas === canvas).map(({ number }) => number);
    // A canvas that is resized draws its picture again.
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect([numbers[0], numbers.at(-1)]).toEqual([0, 59]);
  }
  // A decoder that puts pictures in order gives them the times of other messages.
  const inOrder = canvases.filter((canvas) =>
    drawn.every((each) => each.canvas !== canvas || each.number === each.unit),
  );
  expect(inOrder.length).toBeGreaterThanOrEqual(decodable.length - 1);
});

test("keys lead from keyframe to keyframe of the video that has the focus @full", async ({ page }) => {
  const uid = await simple();
  await visit(page, uid, 23);
  await expect.poll(() => readNumber(page, "/h264")).toBe(23);
  await page.keyboard.press("Alt+1");
  for (const [key, n] of [
    ["Shift+K", 15],
    ["Shift+K", 0],
    ["k", 15],
    ["k", 30],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => readNumber(page, "/h264")).toBe(n);
  }
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText("Next keyframe of its video");
});

/** Without the parameter sets of all keyframes but the first, and with lengths in place of start codes. */
function stripParameters(data: Uint8Array, n: number): Uint8Array {
  const units = Buffer.from(toLengthPrefixed(data));
  const parts: Buffer[] = [];
  for (let at = 0; at < units.length;) {
    const end = at + 4 + units.readUInt32BE(at);
    if (n === 0 || ![7, 8].includes(units[at + 4]! & 31)) parts.push(units.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

const troubled: VideoTopic[] = [
  { topic: "/damaged", clip: "h264", form: "ros2", has: (n) => n !== 20 },
  { topic: "/broken", clip: "vp9", form: "json", has: (n) => n !== 20 },
  { topic: "/keyless", clip: "h264", form: "protobuf", has: (n) => n > 3, ahead: -3n * 3_600_000_000_000n },
  { topic: "/once", clip: "h264", form: "json", change: stripParameters, ahead: 0n },
];
const withTroubles = video(troubled);

test("what is missing of a video is said, and shown again from the next keyframe @full", async ({ page }) => {
  const uid = await withTroubles();
  await visit(page, uid, 25);
  await expect(panel(page, "/damaged")).toContainText("damaged until 02:40:03.0");
  await expect.poll(() => readNumber(page, "/damaged")).toBe(25);
  await expect(panel(page, "/broken")).toContainText("The video is damaged up to its next keyframe");
  await expect.poll(() => readNumber(page, "/once")).toBe(25);
  await panel(page, "/broken").getByRole("button", { name: "Go to the next keyframe" }).click();
  for (const { topic } of troubled) await expect.poll(() => readNumber(page, topic)).toBe(30);
  await expect(panel(page, "/damaged")).not.toContainText("damaged until");

  await visit(page, uid, 10);
  await expect(panel(page, "/keyless")).toContainText(/No keyframe before 02:40:01\.\d{3}; first at 02:40:01\.5/);
  for (const topic of ["/damaged", "/broken", "/once"]) await expect.poll(() => readNumber(page, topic)).toBe(10);
  await panel(page, "/keyless").getByRole("button", { name: "Go to it" }).click();
  for (const { topic } of troubled) await expect.poll(() => readNumber(page, topic)).toBe(15);
  // Their stamps: not set, three hours behind the log, and those of the log.
  await expect(panel(page, "/damaged")).toContainText("stamp not set");
  await expect(panel(page, "/keyless")).toContainText("stamp 3 h off");
  await expect(panel(page, "/once")).not.toContainText("stamp");
});

/** A picture of the size of the clips that carries a number as they do: a square for each bit. */
function drawNumber(number: number): Promise<Buffer> {
  const { width, height } = clip;
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) =>
      number & (1 << Math.floor(((at % width) / width) * 16)) ? 255 : 0,
    ),
  );
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

test("what the browser cannot decode comes from the server, and without one the browsers that can are named @full", async ({
  page,
}) => {
  const uid = await foreign();
  // Some browsers have H.265.
  await page.route("**/engine/recording.worker-*.js", async (route) => {
    const response = await route.fetch();
    const lack = `{ const ask = VideoDecoder.isConfigSupported;
    VideoDecoder.isConfigSupported = (config) => /^h(ev|vc)1/.test(config.codec) ? Promise.resolve({ supported: false }) : ask(config); }`;
    await route.fulfill({ response, body: lack + (await response.text()) });
  });
  const numbers: number[] = [];
  let hasDecoder = true;
  await page.route(`**/media/recordings/${uid}/frame?**`, async (route) => {
    const time = BigInt(new URL(route.request().url()).searchParams.get("t") ?? "0");
    const number = Array.from({ length: clip.pictures }, (_, n) => n).findIndex((n) => videoTime(n) === time);
    numbers.push(number);
    if (hasDecoder) await route.fulfill({ contentType: "image/png", body: await drawNumber(number) });
    else await route.fulfill({ status: 503, json: { detail: "The server has no ffmpeg." } });
  });
  await visit(page, uid, 20);
  await expect(panel(page, "/hevc")).toContainText("decoded by the server, 5 pictures/s");
  await expect.poll(() => readNumber(page, "/hevc")).toBe(20);
  await page.keyboard.press("Space");
  await expect.poll(() => readNumber(page, "/hevc")).toBe(clip.pictures - 1);
  // Of forty pictures in four seconds at most five a second were asked for, and the last one once it rested.
  expect(numbers.length).toBeLessThan(30);

  // As on pages without https.
  await page.addInitScript(() => Object.defineProperty(window, "isSecureContext", { value: false }));
  await visit(page, uid, 25);
  await expect(panel(page, "/hevc")).toContainText("Video needs https; pictures come from the server");
  await expect.poll(() => readNumber(page, "/hevc")).toBe(25);

  hasDecoder = false;
  await visit(page, uid, 30);
  await expect(panel(page, "/hevc")).toContainText("This browser has no H.265");
  await expect(panel(page, "/hevc")).toContainText("Safari, and Chrome and Edge on Windows and macOS, have it.");
});

test("a codec that the browser lacks is named, with browsers that have it, in every look @full", async ({ page }) => {
  const uid = await foreignAndDamaged();
  await inEveryLook(page, async () => {
    await visit(page, uid, 20);
    await expect(panel(page, "/hevc")).toContainText(/This browser has no H\.265|decoded by the server/);
  });
  // On a phone one panel is shown at a time.
  await page.setViewportSize(widths.desk);
  await expect(panel(page, "/reordered")).toContainText("damaged until");
  await checkAxe(page);
});
