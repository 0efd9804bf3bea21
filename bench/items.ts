import { chromium, type Browser } from "@playwright/test";
import { bulkFigures } from "@/bench/bulk";
import { addManyItems, crowdItems } from "@/bench/crowd";
import { filterFigures } from "@/bench/filter";
import { itemGridFigures } from "@/bench/item-grid";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { chromiumFlags, findChromium } from "@/scripts/chromium.mjs";

/** What 100,000 items cost: their filter, their grid, and changes of all of them. */
export async function reportItems(
  browser: Browser,
  product: Product,
  { uid: dataset, path }: { uid: string; path: string },
): Promise<void> {
  const beside = (name: string, measured: number, target: number, unit = "ms") =>
    report({ name, measured, anchor: target, unit, ratio: measured / target, note: "beside the target" });
  const filter = await filterFigures(browser, product, dataset);
  beside("Counting a filter over 100,000 items", filter.count, 400);
  beside("A key to the squiggle in a filter", filter.squiggle, 50);
  const grid = await itemGridFigures(browser, product, `${path}?ordering=key`);
  beside("Finding the pages of 100,000 items", grid.survey, 400);
  beside("A page of 200 of 100,000 items", grid.window, 100);
  beside("The first colours of the grid", grid.tint, 300);
  beside("The first thumbnails of the grid", grid.thumbnail, 800);
  beside("A jump to the middle of 100,000 items", grid.jump, 500);
  beside("Cells of the grid that are mounted", grid.mounted, 400, "cells");
  beside("The page's heap after scrolling", grid.heap, 250, "MB");
  report({
    name: "Scrolling the grid by its wheel",
    measured: grid.rate,
    anchor: grid.emptyRate,
    unit: "frames/s",
    ratio: grid.rate / grid.emptyRate,
    note: "beside an empty page; target: 55",
  });
  report({
    name: "Bytes of a second look at the thumbnails",
    measured: grid.again,
    anchor: grid.sent,
    unit: "bytes",
    ratio: grid.again / Math.max(1, grid.sent),
    note: "beside the first look; target: 0",
  });
  const items = { dataset, items: crowdItems };
  const metadata = await bulkFigures(browser, product, "updateMany", { ...items, metadata: { benched: Date.now() } });
  beside("Asking for new metadata of 100,000 items", metadata.request, 5_000);
  beside("New metadata for 100,000 items", metadata.all, 120_000);
}

/** The same with a dataset of its own, whose items are deleted at the end. */
export async function benchItems(product: Product): Promise<void> {
  const dataset = await addManyItems(product);
  await product.database.query("analyze");
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium.");
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    await reportItems(browser, product, dataset);
    const deleted = await bulkFigures(browser, product, "deleteMany", { dataset: dataset.uid, items: crowdItems });
    report({
      name: "Deleting 100,000 items",
      measured: deleted.all,
      anchor: deleted.request,
      unit: "ms",
      ratio: deleted.all / deleted.request,
      note: "beside the request for it",
    });
  } finally {
    await browser.close();
  }
}
