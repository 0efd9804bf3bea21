import fs from "node:fs";
import path from "node:path";
import type { Browser, Page } from "@playwright/test";
import sharp from "sharp";
import { expect, live, signIn, themes, useTheme, type Api, type Person } from "./fixtures";
import { toPanelsAddress } from "./panel-address";

/** The pictures of README.md: the product of today, with the demo fleet in it. */

const folder = path.resolve(import.meta.dirname, "../docs/images");
const size = { width: 1440, height: 900 };
/** Pixels of the pictures for one of the page: more than README.md shows, for dense screens. */
const density = 1.25;
const maxPictureBytes = 250_000;
const demoMs = 60_000;

interface Named {
  uid: string;
}

/** One picture: its name, how the page is opened, and what is on it once it is complete. */
interface Picture {
  name: string;
  /** Pixels of the page, where panels need more room. */
  height?: number;
  show: (page: Page) => Promise<void>;
}

async function findOne<Row extends Named>(api: Api, at: string, fits: (row: Row) => boolean): Promise<Row> {
  const row = (await api.get<{ results: Row[] }>(at)).results.find(fits);
  if (!row) throw new Error(`nothing fits in ${at}`);
  return row;
}

async function listPictures(api: Api): Promise<Picture[]> {
  const rule = await findOne<Named & { name: string }>(api, "/fleet/rules/", ({ name }) => name === "Motor warm");
  const seen = await findOne<Named & { recording_id: string | null; triggered_at: string }>(
    api,
    "/fleet/alerts/?status=open&q=Camera",
    ({ recording_id: recording }) => recording !== null,
  );
  const run = await findOne<Named & { started_at: string }>(
    api,
    "/fleet/recordings/?has_topic=/lidar/points&status=ready",
    () => true,
  );
  const moment = new Date(Date.parse(run.started_at) + 72_000).toISOString();
  const dataset = await findOne<Named & { owner_name: string; slug: string; annotations_count: number }>(
    api,
    "/datasets/",
    ({ annotations_count: count }) => count > 0,
  );
  return [
    {
      name: "rule-preview",
      show: async (page) => {
        await page.goto(`/rules/${rule.uid}/edit`);
        await live(page);
        const preview = page.getByRole("region", { name: "Preview" });
        await expect(preview.locator(".uplot canvas").first()).toBeVisible({ timeout: demoMs });
        await page.getByRole("textbox", { name: "Value", exact: true }).fill("75");
        await expect(page.getByText(/Compared with version 1: .*gone/)).toBeVisible({ timeout: demoMs });
      },
    },
    {
      name: "alert",
      show: async (page) => {
        await page.goto(`/alerts?selected=${seen.uid}`);
        await live(page);
        const picture = page.getByRole("main").locator("img:not([alt=''])").first();
        await expect(picture).toBeVisible({ timeout: demoMs });
        await expect.poll(() => picture.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0);
      },
    },
    {
      name: "recording",
      height: 1_240,
      show: async (page) => {
        const panels = [
          { type: "image", config: { topic: "/camera/front/image/compressed" } },
          { type: "scene", config: {} },
          { type: "map", config: { topic: "/odom" } },
          { type: "plot", config: { series: ["/motor/state.temperature", "/motor/state.current"] } },
        ];
        await page.goto(toPanelsAddress(run.uid, panels, moment, 2));
        await live(page);
        await expect(page.getByText(/^[\d,]+ points$/)).toBeAttached({ timeout: demoMs });
        await expect(page.getByRole("img", { name: /^Map of \/odom/ })).toBeVisible({ timeout: demoMs });
        await expect(page.locator(".uplot canvas").first()).toBeVisible({ timeout: demoMs });
        await expect(page.getByText("Loading")).toHaveCount(0);
      },
    },
    {
      name: "overview",
      show: async (page) => {
        await page.goto("/overview");
        await live(page);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      },
    },
    {
      name: "items",
      show: async (page) => {
        await page.goto(`/datasets/${dataset.owner_name}/${dataset.slug}`);
        await live(page);
        await expect.poll(() => countDrawn(page), { timeout: demoMs }).toBeGreaterThan(8);
      },
    },
  ];
}

const countDrawn = (page: Page): Promise<number> =>
  page
    .locator("main img")
    .evaluateAll((all) => all.filter((each) => each instanceof HTMLImageElement && each.naturalWidth > 0).length);

/** The picture of a page as a file for README.md. Throws when it is too large for one. */
async function keep(page: Page, name: string): Promise<void> {
  const bytes = await sharp(await page.screenshot())
    .webp({ quality: 86, smartSubsample: true, effort: 6 })
    .toBuffer();
  expect(bytes.length, name).toBeLessThan(maxPictureBytes);
  fs.writeFileSync(path.join(folder, `${name}.webp`), bytes);
}

/** Makes the pictures of README.md in docs/images, light and dark. */
export async function makeReadmePictures(browser: Browser, api: Api, person: Person): Promise<void> {
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: density, reducedMotion: "reduce" });
  try {
    await signIn(context, person);
    const page = await context.newPage();
    for (const { name, height = size.height, show } of await listPictures(api)) {
      await page.setViewportSize({ ...size, height });
      for (const theme of themes) {
        await useTheme(context, theme);
        await show(page);
        await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
        await page.evaluate(() => document.fonts.ready.then(() => {}));
        await page.mouse.move(0, 0);
        await keep(page, `${name}-${theme}`);
      }
      process.stdout.write(`README: ${name}\n`);
    }
  } finally {
    await context.close();
  }
}
