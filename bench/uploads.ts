import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium, type Browser } from "@playwright/test";
import sharp from "sharp";
import { freshPage } from "@/bench/browser";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { chromiumFlags, findChromium } from "@/scripts/chromium.mjs";

const files = 10_000;
/** Files of the upload before, which warms the server up. */
const few = 100;

interface Dataset {
  uid: string;
  name: string;
  owner_name: string;
  slug: string;
  item_count: number;
  status: string;
}

/** Collects the page's long tasks. A string, because a compiled function would refer to helpers that the page lacks. */
const watchTasks = `longest = 0; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
}).observe({ type: "longtask" });`;

/** A folder of small pictures that all differ. */
async function makeFolder(at: string, count: number): Promise<string> {
  const folder = path.join(at, `pictures-${count}`);
  fs.mkdirSync(folder);
  const picture = await sharp({ create: { width: 32, height: 24, channels: 3, background: "#0a78c8" } })
    .jpeg()
    .toBuffer();
  for (let n = 0; n < count; n++)
    fs.writeFileSync(
      path.join(folder, `${String(n).padStart(5, "0")}.jpg`),
      Buffer.concat([picture, Buffer.from(`${n}`)]),
    );
  return folder;
}

/** Seconds from the press until every file is stored, and until every one is an item that was read. */
async function uploadFolder(browser: Browser, product: Product, folder: string, count: number) {
  const { call } = product;
  const dataset = await call<Dataset>("POST", "/datasets/", { name: `uploads ${count}` });
  const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const page = await freshPage(browser, product);
  try {
    await page.addInitScript(watchTasks);
    await page.goto(`${at}?tab=uploads`);
    await page.locator("html[data-live]").waitFor();
    await page.getByRole("button", { name: "Upload" }).first().click();
    const dialog = page.getByRole("dialog", { name: `Upload to ${dataset.name}` });
    await dialog.getByLabel("Folder").setInputFiles(folder);
    const start = dialog.getByRole("button", { name: `Upload ${count.toLocaleString("en")} files` });
    await start.waitFor();
    await page.evaluate("longest = 0");
    const begun = performance.now();
    await start.click();
    let stored = 0;
    for (;;) {
      const { item_count: items, status } = await call<Dataset>("GET", `${at}/`);
      if (items === count && stored === 0) stored = performance.now();
      if (items === count && status === "created") break;
      await sleep(200);
    }
    const read = performance.now();
    const longest = await page.evaluate<number>("longest");
    return { stored: (stored - begun) / 1_000, read: (read - begun) / 1_000, longest };
  } finally {
    await page.context().close();
  }
}

/** A folder of 10,000 small files that is uploaded to a dataset in a browser. */
export async function benchUploads(product: Product): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium.");
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  const folders = fs.mkdtempSync(path.join(product.dataDir, "folders-"));
  try {
    await uploadFolder(browser, product, await makeFolder(folders, few), few);
    const { stored, read, longest } = await uploadFolder(browser, product, await makeFolder(folders, files), files);
    report({
      name: `Uploading ${files} small files to a dataset in a browser`,
      measured: files / stored,
      anchor: 30,
      unit: "files/s",
      ratio: files / stored / 30,
      note: `beside the target; ${stored.toFixed(0)} s, read after ${read.toFixed(0)} s, longest task of the page's thread ${Math.round(longest)} ms`,
    });
  } finally {
    await browser.close();
    fs.rmSync(folders, { recursive: true });
  }
}
