import { test as base, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { awaitHydration } from "./hydration";

/** The context that tests of this worker process use one after another, and the only page that is left in it. */
interface Kept {
  browser: Browser;
  options: string;
  context: BrowserContext;
  page: Page;
}

let kept: Kept | undefined;

const storage = ["local_storage", "indexeddb", "cache_storage", "service_workers", "file_systems", "storage_buckets"];

/**
 * Leaves nothing of a test but what the browser has cached: responses and compiled scripts. Resolves to a new page, or to
 * undefined for a context with a clock, which cannot be taken out of it.
 */
async function clear(context: BrowserContext, origin: string): Promise<Page | undefined> {
  const page = await context.newPage(); // before the others are closed, so that it continues in their process
  const others = context.pages().filter((each) => each !== page);
  await Promise.all(others.map((each) => each.close()));
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: storage.join(",") });
  await session.detach();
  await context.unrouteAll();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  return (await page.evaluate(() => String(Date).includes("[native code]"))) ? page : undefined;
}

/**
 * Tests that want the same kind of context get the same one: to fetch and compile the scripts of every page again for
 * each test takes a fifth of the time of all browser tests. A test that fails ends its worker, and with it the context.
 */
export const test = base.extend({
  // Of Playwright's options, those that a test may want to be different; another one needs to be added to both lists.
  context: async (
    {
      browser,
      baseURL,
      viewport,
      hasTouch,
      isMobile,
      contextOptions,
      locale,
      timezoneId,
      colorScheme,
      permissions,
      javaScriptEnabled,
    },
    use,
    info,
  ) => {
    const screen = [viewport, hasTouch, isMobile, colorScheme, contextOptions];
    const options = JSON.stringify([...screen, locale, timezoneId, permissions, javaScriptEnabled]);
    if (kept?.browser !== browser || kept.options !== options) {
      await kept?.context.close();
      const context = await browser.newContext();
      kept = { browser, options, context, page: await context.newPage() };
    }
    const { context } = kept;
    await use(context);
    if (info.status !== info.expectedStatus) return;
    const page = await clear(context, baseURL ?? "");
    kept = page && { browser, options, context, page };
    if (!page) await context.close();
  },
  page: async ({ context, javaScriptEnabled }, use) => {
    const page = kept?.context === context ? kept.page : await context.newPage();
    if (javaScriptEnabled !== false) awaitHydration(page);
    await use(page);
  },
});
