import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { axeComplaints, type AxeRules } from "./axe";

/** How screens look: whether everybody can read them, in both themes, on desktop and phone. */

/** The widths at which every screen is checked: desktop and phone. */
export const widths = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Sets the theme as the page's own switch does. */
export async function useTheme(context: BrowserContext, theme: Theme): Promise<void> {
  const url = test.info().project.use.baseURL ?? "http://127.0.0.1";
  await context.addCookies([{ name: "ui.theme", value: theme, url }]);
}

/** Fails on what axe calls serious or critical, naming the rule and where. */
export async function checkAxe(page: Page, rules: AxeRules = "all"): Promise<void> {
  // Next takes the title of the page that is left away before it sets the next one.
  await expect(page).toHaveTitle(/\S/);
  // What fades in, also while the check runs, is measured at full contrast.
  await page.evaluate(() => {
    const still = new CSSStyleSheet();
    still.replaceSync(
      "*, ::before, ::after { animation-duration: 0s !important; animation-delay: 0s !important; transition: none !important }",
    );
    document.adoptedStyleSheets.push(still);
    for (const each of document.getAnimations()) {
      if (each.effect?.getComputedTiming().iterations !== Infinity) each.finish();
    }
  });
  expect(await axeComplaints(page, rules)).toEqual([]);
  await page.evaluate(() => document.adoptedStyleSheets.pop());
}

/** The page never scrolls sideways, nor downwards where it is the interface, whose parts scroll. */
export async function expectNoPageScroll(page: Page): Promise<void> {
  const { scroll, size, isShell } = await page.evaluate(() => {
    const root = document.documentElement;
    return {
      scroll: { width: root.scrollWidth, height: root.scrollHeight },
      size: { width: root.clientWidth, height: root.clientHeight },
      isShell: document.querySelector("#main") !== null,
    };
  });
  expect(scroll.width).toBeLessThanOrEqual(size.width);
  if (isShell) expect(scroll.height).toBeLessThanOrEqual(size.height);
}

/** No layout shift while the page loads, by the browser's own sum of shifts without recent input. */
export async function expectNoLayoutShift(page: Page): Promise<void> {
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
            if (!entry.hadRecentInput) sum += entry.value;
          }
        });
        observer.observe({ type: "layout-shift", buffered: true });
        // oxlint-disable-next-line no-restricted-globals -- the browser reports shifts after the frame
        setTimeout(() => resolve(sum), 50);
      }),
  );
  expect(shift, "layout shift").toBeLessThan(0.05);
}

type Look = { size: { width: number; height: number }; theme: Theme };

const looks: readonly Look[] = [
  { size: widths.desk, theme: "light" },
  { size: widths.phone, theme: "dark" },
  { size: widths.desk, theme: "dark" },
  { size: widths.phone, theme: "light" },
];
let turn = 0;

/** Checks the page on desktop and phone, light and dark; `show` prepares the page, once per width. */
export async function inEveryLook(page: Page, show: () => Promise<void>): Promise<void> {
  await look(page, { size: widths.desk, theme: "light" }, "all", show);
  // The same page in other colours, without the cost of a reload.
  await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
  await checkAxe(page, "colour");
  await look(page, { size: widths.phone, theme: "light" }, "structure", show);
}

/** The same for what a test begins with, which goes on at the width that it had; `onPhone` comes before that. */
export async function lookFirst(
  page: Page,
  show: () => Promise<void>,
  onPhone?: () => Promise<unknown>,
): Promise<void> {
  const before = page.viewportSize() ?? widths.desk;
  await inEveryLook(page, show);
  await onPhone?.();
  await page.setViewportSize(before);
}

const setTheme = (page: Page, theme: Theme) =>
  page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);

/**
 * Checks what is on the screen as `inEveryLook` does, without loading it again: for a test that already stands there.
 * Leaves it as it was.
 */
export async function lookAround(page: Page): Promise<void> {
  const before = page.viewportSize() ?? widths.desk;
  await page.setViewportSize(widths.desk);
  await checkAxe(page);
  await expectNoPageScroll(page);
  await setTheme(page, "dark");
  await checkAxe(page, "colour");
  await setTheme(page, "light");
  await page.setViewportSize(widths.phone);
  await checkAxe(page, "structure");
  await expectNoPageScroll(page);
  await page.setViewportSize(before);
}

/** The same in one look, the next of the four: for the many tabs of a page. */
export async function lookOnce(page: Page): Promise<void> {
  const before = page.viewportSize() ?? widths.desk;
  const { size, theme } = looks[turn++ % looks.length]!;
  await page.setViewportSize(size);
  await setTheme(page, theme);
  await checkAxe(page);
  await expectNoPageScroll(page);
  await setTheme(page, "light");
  await page.setViewportSize(before);
}

/** The same for each of these tabs of the page. */
export async function lookAtTabs(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.getByRole("tab", { name }).click();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await lookOnce(page);
  }
}

/**
 * Checks the page in the next of the four looks in turn: for its many tabs and states, which share what another look
 * covered.
 */
export const inNextLook = (page: Page, show: () => Promise<void>): Promise<void> =>
  look(page, looks[turn++ % looks.length]!, "all", show);

async function look(page: Page, { size, theme }: Look, rules: AxeRules, show: () => Promise<void>): Promise<void> {
  await page.setViewportSize(size);
  await useTheme(page.context(), theme);
  await show();
  await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
  await checkAxe(page, rules);
  await expectNoPageScroll(page);
  await expectNoLayoutShift(page);
}

/** Waits until the page is live: its scripts run and the change stream is open. */
export async function live(page: Page): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("data-live", "open");
}
