import type { Locator, Page } from "@playwright/test";
import sharp from "sharp";
import { expect } from "./fixtures";

/** What a camera's panel draws: red, green and blue of each pixel, by rows; empty before its first picture. */
export const readPixels = (page: Page, topic: string): Promise<number[]> =>
  page
    .getByRole("figure", { name: topic, exact: true })
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      // What a thread draws can be read through another canvas only.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      return Array.from({ length: (data.length / 4) * 3 }, (_, at) => data[Math.floor(at / 3) * 4 + (at % 3)]!);
    });

/** What is on the screen in place of an element: red, green and blue of each pixel, by rows. */
export async function readScreen(element: Locator): Promise<{ data: Buffer; width: number; height: number }> {
  let shot: Buffer = Buffer.of();
  // A panel is put on the page anew at another width, also between finding it and looking at it.
  await expect(async () => {
    shot = await element.screenshot();
  }).toPass();
  const { data, info } = await sharp(shot).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** The largest difference of a part of a pixel, and how many differ by more than a tolerance. */
export function compare(drawn: readonly number[], wanted: readonly number[], tolerance: number) {
  if (drawn.length !== wanted.length) return { most: 255, beyond: wanted.length };
  const apart = wanted.map((value, at) => Math.abs(value - drawn[at]!));
  return { most: Math.max(...apart), beyond: apart.filter((each) => each > tolerance).length };
}

/**
 * Looks until a camera's panel draws these pixels, each part within `tolerance`: what is drawn follows what the page says
 * of itself some pictures later.
 */
export const expectPixels = (
  page: Page,
  topic: string,
  wanted: readonly number[],
  { tolerance = 0, message = topic } = {},
): Promise<void> =>
  expect.poll(async () => compare(await readPixels(page, topic), wanted, tolerance).beyond, { message }).toBe(0);
