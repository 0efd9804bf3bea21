import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import { makeFile, untilStored, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { getMedian, report } from "@/bench/report";
import { streamSeconds } from "@/bench/stream";
import { chromiumFlags, findChromium } from "@/scripts/chromium.mjs";

const recordings = 20;
/** Of these a page computes previews itself: at most two million values. */
const recordingsInPage = 3;
/** Ten minutes of the generator, whose IMU has 1 kHz. */
const megabytes = 146;
const moves = 20;

const condition = {
  type: "threshold",
  topic: "/imu",
  field: "linear_acceleration.z",
  operator: "gt",
  value: 9.85,
  window: "500ms",
};

/** A rule's preview over ten minutes of 1 kHz of twenty recordings, and the moves of its slider. */
export async function benchPreviews(product: Product): Promise<void> {
  const { file, seconds: recorded } = await makeFile(product, megabytes);
  const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "previewed" });
  const uploaded: string[] = [];
  const uploadUntil = async (count: number) => {
    while (uploaded.length < count) uploaded.push((await upload(product, device, file)).recording);
    await untilStored(product, device, count);
  };
  const preview = async (value: number): Promise<number> => {
    const began = performance.now();
    const { hit_count: hits } = await product.call<{ hit_count: number }>("POST", "/fleet/rules/preview/", {
      condition: { ...condition, value },
      scope: { device_ids: [device] },
    });
    if (typeof hits !== "number") throw new Error("the preview became a run");
    return (performance.now() - began) / 1_000;
  };
  await uploadUntil(recordingsInPage);
  await preview(9.85);
  const atServer: number[] = [];
  for (let n = 1; n <= moves; n++) atServer.push(await preview(9.85 + n / 1_000));
  await benchPreviewsInPage(product, device, getMedian(atServer));
  await uploadUntil(recordings);
  const anchor = await streamSeconds(file.location);
  const first = await preview(9.85);
  report({
    name: `The first preview over ${recordings} recordings of ${Math.round(recorded / 60)} minutes beside a bare read of one`,
    measured: first,
    anchor,
    unit: "s",
    ratio: anchor / first,
  });
  const times: number[] = [];
  for (let n = 1; n <= moves; n++) times.push(await preview(9.85 + n / 1_000));
  const median = getMedian(times);
  report({
    name: "A move of its slider beside the first preview",
    measured: median,
    anchor: first,
    unit: "s",
    ratio: first / median,
    note: `the slowest of ${moves}: ${Math.max(...times).toFixed(3)} s`,
  });
  for (const uid of uploaded) await product.call("DELETE", `/fleet/recordings/${uid}/`);
  fs.rmSync(file.location);
}

/** Moves of a slider over 1.8 million values, which the page's own thread computes. */
async function benchPreviewsInPage(product: Product, device: string, anchor: number): Promise<void> {
  const rule = { name: "Shaking", condition, scope: { device_ids: [device] }, actions: [{ type: "tag", value: "x" }] };
  const { uid } = await product.call<{ uid: string }>("POST", "/fleet/rules/", rule);
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium.");
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    const page = await freshPage(browser, product);
    await page.goto(`/rules/new?duplicate=${uid}`);
    const readTimes = () =>
      page.evaluate(() => performance.getEntriesByName("rule preview").map(({ duration }) => duration / 1_000));
    await page.waitForFunction(() => performance.getEntriesByName("rule preview").length > 0, null, {
      timeout: 60_000,
    });
    const loaded = await page.evaluate(() => performance.now() / 1_000);
    const slider = page.getByRole("slider", { name: "Value" });
    for (let n = 0; n < moves; n++) {
      await slider.press("ArrowRight");
      await sleep(100);
    }
    const [first = 0, ...times] = await readTimes();
    const median = getMedian(times);
    report({
      name: "A move of the slider in the page, over 1.8 million values, beside the server's answer",
      measured: median,
      anchor,
      unit: "s",
      ratio: anchor / median,
      note:
        `${times.length} moves, the slowest ${Math.max(...times).toFixed(3)} s; the first preview ${first.toFixed(3)} s, ` +
        `${loaded.toFixed(1)} s after the page was opened`,
    });
  } finally {
    await browser.close();
    await product.call("DELETE", `/fleet/rules/${uid}/`);
  }
}
