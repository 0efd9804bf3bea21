import type { Page } from "@playwright/test";

/**
 * Waits until React has hydrated what the server rendered: a key or a press before that is lost, which people are not fast
 * enough to notice, but tests are on a busy machine.
 */
export async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    if (!document.querySelector("script[src*='/_next/']")) return true;
    const drawn = [...document.querySelectorAll("main, button, input")];
    return drawn.some((each) => Object.keys(each).some((key) => key.startsWith("__reactProps$")));
  });
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
