import type { Locator, Page } from "@playwright/test";
import { expect } from "./fixtures";

export const panel = (page: Page) => page.getByRole("figure", { name: "3-D" });
export const view = (page: Page): Locator => panel(page).getByRole("img");
export const status = (page: Page): Locator => panel(page).getByRole("status");

/** The ground at a place of the view, of which the press before said something else. */
async function readGround(page: Page, x: number, y: number): Promise<number[]> {
  const before = await status(page).allInnerTexts();
  await view(page).click({ position: { x, y } });
  await expect(status(page)).toContainText("Ground");
  await expect.poll(() => status(page).allInnerTexts()).not.toEqual(before);
  const text = (await status(page).innerText()).replaceAll("−", "-");
  return (/(-?[\d.]+), (-?[\d.]+), /.exec(text) ?? []).slice(1).map(Number);
}

/** From metres of the map to pixels of the view, by two presses beside everything. */
export async function measureView(page: Page): Promise<(x: number, y: number) => { x: number; y: number }> {
  const { width, height } = (await view(page).boundingBox())!;
  const [near, far] = [
    { x: 4, y: height - 40 },
    { x: width - 4, y: 40 },
  ];
  const [nearX = 0, nearY = 0] = await readGround(page, near.x, near.y);
  const [farX = 0, farY = 0] = await readGround(page, far.x, far.y);
  const across = (far.x - near.x) / (farX - nearX);
  const up = (far.y - near.y) / (farY - nearY);
  // As large across as up: nothing is distorted.
  expect(across / -up).toBeCloseTo(1, 2);
  return (x, y) => ({ x: near.x + (x - nearX) * across, y: near.y + (y - nearY) * up });
}

/** The colour nearest to a wanted one within two pixels of a place: lines are one pixel wide. */
export function findColour(
  picture: { data: Buffer; width: number },
  x: number,
  y: number,
  wanted: readonly number[],
): number {
  let least = 255;
  for (let dy = -2; dy <= 2; dy++)
    for (let dx = -2; dx <= 2; dx++) {
      const at = ((Math.round(y) + dy) * picture.width + Math.round(x) + dx) * 3;
      least = Math.min(least, Math.max(...wanted.map((part, n) => Math.abs(part - (picture.data[at + n] ?? 0)))));
    }
  return least;
}
