// oxlint-disable-next-line no-restricted-imports -- between two looks
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";

const betweenLooksMs = 25;
/** Half a minute. */
const maxLooks = 1_200;

/**
 * Waits until React has hydrated what the server rendered: a key or a press before that is lost, which people are not fast
 * enough to notice, but tests are on a busy machine. Looks from outside, because `waitForFunction` has the page read all
 * of Playwright's own script once more.
 */
export async function untilHydrated(page: Page): Promise<void> {
  for (let look = 0; look < maxLooks; look++) {
    if (await isHydrated(page)) return;
    await sleep(betweenLooksMs);
  }
  throw new Error(`${page.url()} was not hydrated.`);
}

async function isHydrated(page: Page): Promise<boolean> {
  try {
    return await page.evaluate(() => {
      if (!document.querySelector("script[src*='/_next/']")) return true;
      const drawn = [...document.querySelectorAll("main, button, input")];
      return drawn.some((each) => Object.keys(each).some((key) => key.startsWith("__reactProps$")));
    });
  } catch (error) {
    // The page went on to another one meanwhile.
    if (error instanceof Error && /context was destroyed|navigation/.test(error.message)) return false;
    throw error;
  }
}

/** Has `goto` and `reload` wait for that, too, unless they are asked to wait for something else. */
export function awaitHydration(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    if (!options?.waitUntil) await untilHydrated(page);
    return response;
  };
  page.reload = async (options) => {
    const response = await reload(options);
    if (!options?.waitUntil) await untilHydrated(page);
    return response;
  };
}
