import type { Browser, Page } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import type { Crowd } from "@/bench/crowd";
import type { Product } from "@/bench/product";

const minSeconds = 3;
/** A string, because a compiled function would refer to helpers that the page lacks. */
const startCounting =
  "frames = 0; counting = true; count = () => { frames += 1; if (counting) requestAnimationFrame(count); }; requestAnimationFrame(count); undefined";

/** Frames per second while `act` is repeated for some seconds. */
export async function frameRate(page: Page, act: (step: number) => Promise<void>): Promise<number> {
  await page.evaluate(startCounting);
  const started = performance.now();
  for (let step = 0; performance.now() - started < minSeconds * 1_000; step++) await act(step);
  const seconds = (performance.now() - started) / 1_000;
  const frames = await page.evaluate<number>("counting = false, frames");
  return frames / seconds;
}

/**
 * Frames per second while the timeline of a million points is dragged to and fro, beside the same drag on an empty
 * page.
 */
export async function panningRate(
  browser: Browser,
  product: Product,
  crowd: Crowd,
): Promise<{ rate: number; anchor: number }> {
  const page = await freshPage(browser, product);
  try {
    let height = 400;
    const drag = (step: number) => page.mouse.move(720 + Math.round(200 * Math.sin(step / 12)), height);

    await page.goto("/healthz");
    await page.mouse.move(720, height);
    await page.mouse.down();
    const anchor = await frameRate(page, drag);
    await page.mouse.up();

    const plots = ["/imu.angular_velocity.z", "/imu.linear_acceleration.x", "/motor_1.temperature", "/motor_1.state"];
    const iso = (offset: bigint) =>
      new Date(Number((crowd.start + offset * 1_000_000_000n) / 1_000_000n)).toISOString();
    await page.goto(
      `/recordings/${crowd.recording}?plots=${encodeURIComponent(plots.join(","))}&from=${iso(300n)}&to=${iso(360n)}`,
    );
    const plot = page.locator("main .uplot canvas").first();
    await plot.waitFor();
    await page.waitForLoadState("networkidle").catch(() => {});
    const box = await plot.boundingBox();
    if (!box) throw new Error("the plot is not on screen");
    height = box.y + box.height / 2;
    await page.mouse.move(720, height);
    await page.mouse.down();
    const rate = await frameRate(page, drag);
    await page.mouse.up();
    return { rate, anchor };
  } finally {
    await page.context().close();
  }
}
