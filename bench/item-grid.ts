import type { Browser } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import type { Product } from "@/bench/product";

const rounds = 5;
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

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

/** What the grid of 100,000 items costs, in milliseconds: its survey, a page of it, and a jump to its middle. */
export async function itemGridFigures(
  browser: Browser,
  product: Product,
  path: string,
): Promise<{ survey: number; window: number; jump: number; mounted: number }> {
  const page = await freshPage(browser, product);
  try {
    const [surveys, windows, jumps]: [number[], number[], number[]] = [[], [], []];
    let mounted = 0;
    for (let n = 0; n < rounds; n++) {
      const [surveyed, listed] = [page.waitForResponse(/items\.survey/), page.waitForResponse(/items\.window/)];
      await page.goto(path);
      surveys.push((await surveyed).request().timing().responseStart);
      windows.push((await listed).request().timing().responseStart);
      await page.locator("[role=gridcell][data-uid]").first().waitFor();
      jumps.push(await page.evaluate<number>(jump));
      mounted = Math.max(mounted, await page.locator("[role=gridcell]").count());
    }
    return { survey: median(surveys), window: median(windows), jump: median(jumps), mounted };
  } finally {
    await page.context().close();
  }
}
