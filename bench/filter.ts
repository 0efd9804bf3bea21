import type { Browser, Page } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import type { Product } from "@/bench/product";
import { getMedian } from "@/bench/report";

const rounds = 5;

/**
 * Makes `squiggle` a promise of the milliseconds from the next key to the squiggle under what it made wrong. A string,
 * as it runs in the page.
 */
const awaitSquiggle = `globalThis.squiggle = new Promise((resolve) => {
  let pressed = 0;
  addEventListener("keydown", ({ timeStamp }) => { pressed = timeStamp; }, { capture: true, once: true });
  const seen = new MutationObserver(() => {
    if (!document.querySelector(".cm-filter-fault")) return;
    seen.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - pressed));
  });
  seen.observe(document.body, { childList: true, subtree: true, attributes: true });
}); 0`;

async function timeSquiggle(page: Page): Promise<number> {
  const box = page.getByRole("textbox", { name: "Filter items" });
  await box.click();
  await page.keyboard.press("Control+Home");
  await page.evaluate(awaitSquiggle); // listens before the key is pressed
  // Another letter in front of the field's name.
  await page.keyboard.press("x");
  const ms = await page.evaluate<number>("squiggle");
  await page.keyboard.press("Backspace");
  await page.locator(".cm-filter-fault").waitFor({ state: "detached" });
  return ms;
}

/** What a filter over 100,000 items costs where an export is put together, in milliseconds. */
export async function filterFigures(
  browser: Browser,
  product: Product,
  dataset: string,
): Promise<{ count: number; squiggle: number }> {
  const page = await freshPage(browser, product);
  const query = new URLSearchParams({
    datasets: dataset,
    filter_query_string: "metadata.width >= 1280 AND key ~ front",
  });
  try {
    const counts: number[] = [];
    const squiggles: number[] = [];
    for (let n = 0; n < rounds; n++) {
      const counted = page.waitForResponse(/items\.count/);
      await page.goto(`/exports/new?${query}`);
      const response = await counted;
      if (!(await response.text()).includes('"timed_out":false')) throw new Error("the filter was not counted in time");
      counts.push(response.request().timing().responseStart);
      await page.locator("html[data-live]").waitFor();
      squiggles.push(await timeSquiggle(page));
    }
    return { count: getMedian(counts), squiggle: getMedian(squiggles) };
  } finally {
    await page.context().close();
  }
}
