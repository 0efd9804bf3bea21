import fs from "node:fs";
import path from "node:path";
import { chromium, type Browser, type Page } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import { makeCameraFile, numberBits, pictureHz, type CameraFile } from "@/bench/camera-file";
import { untilStored, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { parseDateTimeNs } from "@/domain/time/nanoseconds";
import { noise } from "@/engine/testing/generate-recording";
import { chromiumFlags, findChromium } from "@/scripts/chromium.mjs";

const large = 1_000e6;
const small = 40e6;
const seeks = 40;
const playedSeconds = 10;
const plots = "/drive.speed,/drive.current,/drive.temperature,/drive.load";

interface Uploaded extends CameraFile {
  recording: string;
}

/** What a watching page sees of a camera. */
interface Watched {
  /** Of the picture in the canvas; -1 before the first. */
  number: number;
  /** When the pictures were recorded that the recording's thread drew. */
  drawn: Set<bigint>;
  /** Whether pictures are read from the canvas, which takes the page's time. */
  isReading: boolean;
  /** When each picture came into the canvas since the last press, by the page's clock. */
  cameAt: Map<number, number>;
  /** When a press last ended, by the same clock. */
  pressedAt: number;
  /** The longest task of the page's thread, in milliseconds. */
  longest: number;
  frames: number;
}

declare global {
  interface Window {
    watched: Watched;
  }
}

/**
 * Reads the number of the picture in the canvas once a frame: what a thread draws is visible in another canvas only. Also
 * collects the page's long tasks. A string, because a compiled function would refer to helpers that the page lacks.
 */
const watchPictures = `
  watched = { number: -1, drawn: new Set(), isReading: true, cameAt: new Map(), pressedAt: 0, longest: 0, frames: 0 };
  addEventListener("pointerup", ({ timeStamp }) => { watched.pressedAt = timeStamp; watched.cameAt.clear(); }, true);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
  }).observe({ type: "longtask" });
  copy = document.createElement("canvas");
  copy.width = ${numberBits}; copy.height = 1;
  context = copy.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingEnabled = false; // else each reading makes smaller copies of the whole picture
  look = () => {
    watched.frames += 1;
    const canvas = document.querySelector('figure[aria-label="/camera"] canvas');
    if (watched.isReading && canvas && canvas.width > ${numberBits}) {
      const square = canvas.width / ${numberBits};
      context.drawImage(canvas, 0, square / 4, canvas.width, square / 2, 0, 0, ${numberBits}, 1);
      const { data } = context.getImageData(0, 0, ${numberBits}, 1);
      let number = 0, drawn = false;
      for (let bit = 0; bit < ${numberBits}; bit++) {
        number = 2 * number + (data[4 * bit] > 127 ? 1 : 0);
        drawn ||= data[4 * bit + 3] > 0;
      }
      if (drawn && number !== watched.number) {
        watched.number = number;
        watched.cameAt.set(number, performance.now());
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  // The thread reports each picture that it drew through a port.
  const listen = MessagePort.prototype.addEventListener;
  MessagePort.prototype.addEventListener = function (type, listener, ...rest) {
    const watch = (event) => {
      for (const { value } of event.data?.argumentList ?? [])
        if (value?.state === "shown" && typeof value.time === "bigint") watched.drawn.add(value.time);
      listener(event);
    };
    listen.call(this, type, type === "message" && typeof listener === "function" ? watch : listener, ...rest);
  };
`;

/** A person's page on which the pictures of a recording are read from its canvas. */
async function watchingPage(browser: Browser, product: Product): Promise<Page> {
  const page = await freshPage(browser, product);
  await page.addInitScript(watchPictures);
  return page;
}

const wait = { timeout: 30_000 };

/** Waits for the picture of a number. The page's policy refuses strings as code, so functions are evaluated. */
const isShown = (page: Page, wanted: number) =>
  page.waitForFunction((number) => window.watched.number === number, wanted, wait);

async function add(product: Product, device: string, name: string, bytes: number): Promise<Uploaded> {
  const location = path.join(product.dataDir, name);
  const file = await makeCameraFile(location, bytes);
  const { recording } = await upload(product, device, { location, path: name, size: file.size });
  fs.rmSync(location);
  return { ...file, recording };
}

const toAddress = ({ recording, start }: Uploaded, seconds: number): string =>
  `/recordings/${recording}?plots=${encodeURIComponent(plots)}&t=${new Date(Number(start / 1_000_000n) + seconds * 1_000).toISOString()}`;

/** Milliseconds from the request of a recording's page to the picture of a moment. */
async function timeOpening(browser: Browser, product: Product, file: Uploaded): Promise<number> {
  const page = await watchingPage(browser, product);
  const at = Math.floor(file.seconds / 2);
  const began = performance.now();
  await page.goto(toAddress(file, at), { waitUntil: "commit" });
  await isShown(page, at * pictureHz);
  const took = performance.now() - began;
  await page.context().close();
  return took;
}

/** The number of the picture that belongs to the moment in the page's address. */
function readWanted(page: Page, { start }: Uploaded): number | null {
  const moment = parseDateTimeNs(new URL(page.url()).searchParams.get("t") ?? "");
  // Times of pictures are rounded to nanoseconds.
  return moment === null ? null : Number(((moment - start) * BigInt(pictureHz) + BigInt(pictureHz)) / 1_000_000_000n);
}

/** Milliseconds from presses on the time ruler to the picture of exactly that moment, as the page saw it. */
async function timeSeeks(page: Page, file: Uploaded): Promise<number[]> {
  const ruler = page.getByText(/^Time(, UTC)?$/).first();
  const chart = await ruler.locator("xpath=ancestor::*[.//canvas][1]").locator("canvas").boundingBox();
  if (!chart) throw new Error("the time ruler is not on screen");
  const random = noise(3);
  const times: number[] = [];
  for (let n = 0; n < seeks; n++) {
    const x = Math.round(chart.x + chart.width * (0.05 + 0.85 * random()));
    const before = page.url();
    await page.mouse.click(x, chart.y + chart.height / 2);
    // The address says which moment was pressed, a little later than the picture is there.
    await page.waitForURL((url) => url.href !== before, wait);
    const wanted = readWanted(page, file);
    if (wanted === null) throw new Error(`the address has no moment: ${page.url()}`);
    await isShown(page, wanted);
    times.push(
      await page.evaluate((number) => (window.watched.cameAt.get(number) ?? NaN) - window.watched.pressedAt, wanted),
    );
  }
  return times.sort((a, b) => a - b);
}

interface Played {
  pictures: number;
  due: number;
  maxTaskMs: number;
  frames: number;
  readBytes: number;
}

async function play(page: Page, file: Uploaded): Promise<Played> {
  let readBytes = 0;
  page.on("response", (response) => {
    if (response.url().includes("/media/recordings/")) readBytes += Number(response.headers()["content-length"] ?? 0);
  });
  await page.goto(toAddress(file, 2));
  await isShown(page, 2 * pictureHz);
  await page.waitForLoadState("networkidle").catch(() => {});
  const from = (Number(file.start) / 1e9 + 2) * 1_000;
  await page.evaluate(() => {
    Object.assign(window.watched, { longest: 0, frames: 0, isReading: false });
    window.watched.drawn.clear();
  });
  await page.keyboard.press("Space");
  const played = await page.waitForFunction(
    (until) => {
      const { drawn, longest, frames } = window.watched;
      const last = [...drawn].at(-1) ?? 0n;
      // The first one was there before.
      return (
        Number(last / 1_000_000n) >= until && { pictures: drawn.size, last: Number(last / 1_000n), longest, frames }
      );
    },
    from + playedSeconds * 1_000,
    { timeout: 60_000 },
  );
  const result = await played.jsonValue();
  await page.keyboard.press("Space");
  if (result === false) throw new Error("the recording did not play");
  return {
    pictures: result.pictures,
    due: Math.round(((result.last / 1_000 - from) / 1_000) * pictureHz),
    maxTaskMs: result.longest,
    frames: result.frames,
    readBytes,
  };
}

/** Frames per second of an empty page. */
async function countFrames(page: Page): Promise<number> {
  await page.goto("/healthz");
  await page.evaluate(() => {
    window.watched.frames = 0;
  });
  await page.waitForTimeout(3_000);
  return (await page.evaluate(() => window.watched.frames)) / 3;
}

/** Recordings of cameras as people watch them: opening, seeking and playing, beside a small recording of the same kind. */
export async function benchPanels(product: Product): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium.");
  const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "camera" });
  const few = await add(product, device, "small.mcap", small);
  const many = await add(product, device, "large.mcap", large);
  await untilStored(product, device, 2);
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    await timeOpening(browser, product, few); // the server has rendered the page once
    const anchor = await timeOpening(browser, product, few);
    const opening = await timeOpening(browser, product, many);
    const size = `${Math.round(many.size / 1e6)} MB`;
    report({
      name: `From the request of the page of a camera's recording of ${size} to its picture`,
      measured: opening,
      anchor,
      unit: "ms",
      ratio: opening / anchor,
      below: 2,
      note: `beside one of ${Math.round(few.size / 1e6)} MB; target: under 1,000 ms`,
    });

    const page = await watchingPage(browser, product);
    const frames = await countFrames(page);
    await page.goto(toAddress(few, 1));
    await isShown(page, pictureHz);
    const nearby = await timeSeeks(page, few);
    await page.goto(toAddress(many, 1));
    await isShown(page, pictureHz);
    const far = await timeSeeks(page, many);
    const p95 = (values: number[]): number => values[Math.ceil(0.95 * values.length) - 1] ?? 0;
    report({
      name: `The slowest twentieth of ${seeks} seeks in it, to its picture`,
      measured: p95(far),
      anchor: p95(nearby),
      unit: "ms",
      ratio: p95(far) / p95(nearby),
      below: 3,
      note: `median ${Math.round(far[seeks / 2] ?? 0)} ms; target: under 150 ms`,
    });

    const { pictures, due, maxTaskMs, frames: drawn, readBytes } = await play(page, many);
    report({
      name: `Pictures drawn of ${due} while it plays, with four plots`,
      measured: pictures,
      anchor: due,
      unit: "pictures",
      ratio: pictures / due,
      atLeast: 0.99,
      note: `longest task of the page's thread ${Math.round(maxTaskMs)} ms (target: under 50), ${Math.round((drawn * pictureHz) / due)} frames/s (empty page: ${Math.round(frames)})`,
    });
    const shownBytes = pictures * many.pictureBytes + (due / pictureHz) * many.cloudBytesPerSecond;
    report({
      name: "Bytes read for the pictures and clouds shown",
      measured: readBytes / 1e6,
      anchor: shownBytes / 1e6,
      unit: "MB",
      ratio: readBytes / shownBytes,
      below: 2.5,
      note: "with the other messages of the same chunks, and what was read ahead; those shown are not compressed",
    });
    await page.context().close();
  } finally {
    await browser.close();
  }
}
