import { chromium, type Browser } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import { addConsoles, timeReplayCounts } from "@/bench/consoles";
import { addCrowd } from "@/bench/crowd";
import { reportItems } from "@/bench/items";
import { panningRate } from "@/bench/panning";
import type { Product } from "@/bench/product";
import { getMedian, report } from "@/bench/report";
import { chromiumFlags, findChromium } from "@/scripts/chromium.mjs";

const loads = 5;

interface Screen {
  name: string;
  path: string;
  /** Present once the page is usable. */
  usable: string;
  /** kB of compressed scripts that a first load may fetch. */
  scriptLimit: number;
}

interface Load {
  firstPaint: number;
  usable: number;
  scripts: number;
}

/** Figures are printed beside the same browser's time for an empty page, which depends on the machine only. */
export async function benchPages(product: Product): Promise<void> {
  const crowd = await addCrowd(product);
  const { webhook, agent } = await addConsoles(product);
  const row = "table tbody tr td";
  const screens: Screen[] = [
    { name: "Overview", path: "/overview", usable: "main h1", scriptLimit: 250 },
    { name: "Devices", path: "/devices", usable: row, scriptLimit: 250 },
    { name: "Recordings", path: "/recordings", usable: row, scriptLimit: 250 },
    { name: "Events", path: "/events", usable: row, scriptLimit: 250 },
    { name: "Rules", path: "/rules", usable: row, scriptLimit: 250 },
    { name: "Alerts", path: "/alerts", usable: "main h1", scriptLimit: 250 },
    { name: "Datasets", path: "/datasets", usable: row, scriptLimit: 250 },
    { name: "Items", path: crowd.datasetPath, usable: "[role=gridcell][data-uid]", scriptLimit: 270 },
    { name: "Exports", path: "/exports", usable: row, scriptLimit: 250 },
    { name: "Webhooks", path: "/webhooks", usable: row, scriptLimit: 250 },
    { name: "Deliveries", path: `/webhooks/${webhook}`, usable: row, scriptLimit: 250 },
    { name: "Failed deliveries", path: `/webhooks/${webhook}?status=failed`, usable: row, scriptLimit: 250 },
    { name: "Agents", path: "/agents", usable: row, scriptLimit: 250 },
    { name: "Executions", path: `/agents/${agent}`, usable: row, scriptLimit: 250 },
    { name: "New export", path: `/exports/new?datasets=${crowd.dataset}`, usable: "main h1", scriptLimit: 330 },
    { name: "Slices", path: "/slices", usable: "main h1", scriptLimit: 250 },
    { name: "New slice", path: `/slices/new?dataset=${crowd.dataset}`, usable: "main h1", scriptLimit: 330 },
    { name: "Groups", path: "/groups", usable: row, scriptLimit: 250 },
    { name: "Storage", path: "/storage", usable: "main h1", scriptLimit: 250 },
    { name: "MCP", path: "/settings/mcp", usable: "main h1", scriptLimit: 250 },
    { name: "Device", path: `/devices/${crowd.device}`, usable: "main h1", scriptLimit: 250 },
    { name: "Timeline", path: `/recordings/${crowd.recording}`, usable: "main canvas", scriptLimit: 350 },
  ];
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium.");
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    const empty = await measureScreens(browser, product, screens);
    const counted = getMedian(await timeReplayCounts(browser, product, webhook));
    report({
      name: "Counting a replay of 10,000",
      measured: counted,
      anchor: empty,
      unit: "ms",
      ratio: counted / empty,
      note: "beside an empty page; target: under 300 ms",
    });
    await reportItems(browser, product, { uid: crowd.dataset, path: crowd.datasetPath });
    const { rate, anchor } = await panningRate(browser, product, crowd);
    report({
      name: "Panning the timeline",
      measured: rate,
      anchor,
      unit: "frames/s",
      ratio: rate / anchor,
      note: "beside an empty page; target: 50",
    });
  } finally {
    await browser.close();
  }
}

/** Reports each screen; resolves with the time of an empty page. */
async function measureScreens(browser: Browser, product: Product, screens: readonly Screen[]): Promise<number> {
  const empty = await emptyPage(browser, product);
  for (const screen of screens) {
    const all: Load[] = [];
    // The first load warms the server up.
    for (let n = 0; n <= loads; n++) {
      const load = await loadOnce(browser, product, screen);
      if (n > 0) all.push(load);
    }
    const [firstPaint, usable] = [
      getMedian(all.map((load) => load.firstPaint)),
      getMedian(all.map((load) => load.usable)),
    ];
    const scripts = getMedian(all.map((load) => load.scripts));
    const figure = (name: string, measured: number, unit: string, anchor: number, note: string) =>
      report({ name: `${screen.name}: ${name}`, measured, anchor, unit, ratio: measured / anchor, note });
    figure("first contentful paint", firstPaint, "ms", empty, "beside an empty page; target: under 1,000 ms");
    figure("usable", usable, "ms", empty, "beside an empty page; target: under 1,500 ms");
    figure("scripts of a first load", scripts, "kB", screen.scriptLimit, "beside the target, compressed");
  }
  return empty;
}

async function loadOnce(browser: Browser, product: Product, screen: Screen): Promise<Load> {
  const page = await freshPage(browser, product);
  try {
    await page.goto(screen.path, { waitUntil: "commit" });
    await page.locator(screen.usable).first().waitFor({ timeout: 30_000 });
    // Hydration is finished: until then a click does nothing.
    await page.locator("html[data-live]").waitFor({ timeout: 30_000 });
    const usable = await page.evaluate(() => performance.now());
    await page.waitForLoadState("load");
    const { firstPaint, bytes } = await page.evaluate(() => ({
      firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      bytes: performance
        .getEntriesByType("resource")
        .filter((entry) => new URL(entry.name).pathname.endsWith(".js"))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    }));
    return { firstPaint, usable, scripts: bytes / 1_000 };
  } finally {
    await page.context().close();
  }
}

/** Milliseconds to the first paint of a page with a single word from the same server. */
async function emptyPage(browser: Browser, product: Product): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < loads; n++) {
    const context = await browser.newContext({ baseURL: product.url });
    const page = await context.newPage();
    await page.goto("/healthz");
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    await context.close();
  }
  return getMedian(times);
}
