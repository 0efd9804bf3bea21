import type { Browser } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import { frameRate } from "@/bench/panning";
import { until, type Product } from "@/bench/product";
import { getMedian } from "@/bench/report";

const rounds = 5;

/**
 * Scrolls the grid to its middle and resolves with the milliseconds until the cell in the middle of the screen has its
 * item. A string, as it runs in the page.
 */
const jump = `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]");
  const { left, top, width, height } = grid.getBoundingClientRect();
  const start = performance.now();
  grid.scrollTop = grid.scrollHeight / 2;
  const look = () => {
    const cell = document.elementFromPoint(left + width / 2, top + height / 2)?.closest("[role=gridcell]");
    if (cell?.dataset.uid && Number(cell.id.slice(5)) > 1000) resolve(performance.now() - start);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** Notes when the first colour and the first thumbnail are there, in milliseconds after the navigation. */
const watchFirst = `
  seen = { tint: 0, thumbnail: 0 };
  look = () => {
    if (!seen.tint && document.querySelector("[data-tint]")) seen.tint = performance.now();
    const image = document.querySelector("[data-tint] img");
    if (!seen.thumbnail && image && image.complete && image.naturalWidth > 0) seen.thumbnail = performance.now();
    if (!seen.thumbnail) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/** Whether every cell has its thumbnail. */
const allShown = `[...document.querySelectorAll("[role=gridcell]")].every((cell) => cell.querySelector("img")?.complete)
  && document.querySelector("[role=gridcell]") !== null`;

/** Bytes that were sent for thumbnails since the navigation. */
const sentBytes = `performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/media/items/")).reduce((sum, { transferSize }) => sum + transferSize, 0)`;

interface GridFigures {
  survey: number;
  window: number;
  tint: number;
  thumbnail: number;
  jump: number;
  mounted: number;
  /** Megabytes. */
  heap: number;
  /** Frames a second while the wheel turns, in the grid and on an empty page. */
  rate: number;
  emptyRate: number;
  /** Bytes of the thumbnails when they are seen first, and again. */
  sent: number;
  again: number;
}

/** What the grid of 100,000 items costs; times in milliseconds. */
export async function itemGridFigures(browser: Browser, product: Product, path: string): Promise<GridFigures> {
  const page = await freshPage(browser, product);
  try {
    await page.addInitScript(watchFirst);
    const turn = () => page.mouse.wheel(0, 2_000);
    await page.goto("/healthz");
    await page.mouse.move(900, 600);
    const emptyRate = await frameRate(page, turn);
    const times = new Map<string, number[]>();
    const note = (name: string, value: number) => times.set(name, [...(times.get(name) ?? []), value]);
    const sent: number[] = [];
    let mounted = 0;
    for (let n = 0; n < rounds; n++) {
      const [surveyed, listed] = [page.waitForResponse(/items\.survey/), page.waitForResponse(/items\.window/)];
      await page.goto(path);
      note("survey", (await surveyed).request().timing().responseStart);
      note("window", (await listed).request().timing().responseStart);
      // The page's policy refuses strings that it would have to evaluate itself.
      await until("the first thumbnail", 30, async () => (await page.evaluate<number>("seen.thumbnail")) > 0);
      const seen = await page.evaluate<{ tint: number; thumbnail: number }>("seen");
      note("tint", seen.tint);
      note("thumbnail", seen.thumbnail);
      await until("the thumbnails on the screen", 30, () => page.evaluate<boolean>(allShown));
      sent.push(await page.evaluate<number>(sentBytes));
      note("jump", await page.evaluate<number>(jump));
      mounted = Math.max(mounted, await page.locator("[role=gridcell]").count());
    }
    await page.mouse.move(900, 600);
    const rate = await frameRate(page, turn);
    const heap = await page.evaluate<number>("performance.memory.usedJSHeapSize / 1e6");
    const of = (name: string) => getMedian(times.get(name) ?? []);
    return {
      ...{ survey: of("survey"), window: of("window"), tint: of("tint"), thumbnail: of("thumbnail"), jump: of("jump") },
      ...{ mounted, heap, rate, emptyRate, sent: sent[0] ?? 0, again: sent.at(-1) ?? 0 },
    };
  } finally {
    await page.context().close();
  }
}
