import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { expect, live, lookAround, reload, test, unique } from "./fixtures";
import type { MadeDataset } from "./pictures";

/** A folder with 297 pictures and 3 files that only seem to be some. */
async function makeFolder(at: string): Promise<string> {
  const folder = path.join(at, "crossings");
  mkdirSync(path.join(folder, "front"), { recursive: true });
  const picture = await sharp({ create: { width: 32, height: 24, channels: 3, background: "#0a78c8" } })
    .png()
    .toBuffer();
  for (let n = 0; n < 300; n++) {
    const bytes = n % 100 === 7 ? picture.subarray(0, 50) : picture;
    writeFileSync(path.join(folder, "front", `${String(n).padStart(3, "0")}.png`), bytes);
  }
  return folder;
}

test("a folder is uploaded across pages and a reload; its damaged files are named, and names that are taken are skipped", async ({
  api,
  page,
}, info) => {
  test.setTimeout(180_000);
  const folder = await makeFolder(info.outputPath());
  const dataset = await api.post<MadeDataset>("/datasets/", { name: unique("yard"), data_type: "image" });
  const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  // After 20 files the others are held back: as over a slow connection, during which the page is reloaded.
  let sent = 0;
  await page.route("**/files/upload/**", (route) => (sent++ < 20 ? route.continue() : undefined));
  const dialog = page.getByRole("dialog", { name: `Upload to ${dataset.name}` });
  await page.goto(`${at}?tab=uploads`);
  await live(page);
  await expect(page.getByRole("heading", { name: "No uploads yet" })).toBeVisible();
  await page.getByRole("button", { name: "Upload" }).first().click();
  await expect(dialog).toBeVisible();
  await lookAround(page);
  await dialog.getByLabel("Folder").setInputFiles(folder);
  await dialog.getByRole("button", { name: "Upload 300 files" }).click();
  await expect(dialog.getByText(/\d+ of 300 files/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  // The progress follows to another page.
  await page.getByRole("link", { name: "Recordings", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Recordings" })).toBeVisible();
  const header = page.getByRole("banner");
  await expect(header.getByRole("button", { name: /^Uploading, \d+ %$/ })).toBeVisible();

  await expect.poll(() => page.evaluate(() => localStorage.getItem("muster.uploads"))).toContain("crossings");
  page.on("dialog", (each) => void each.accept());
  await reload(page);
  await page.unroute("**/files/upload/**");
  await header.getByRole("button", { name: "1 upload interrupted" }).click();
  const uploads = page.getByRole("list", { name: "Uploads" });
  await expect(uploads.getByText(/Interrupted\. Choose crossings/)).toBeVisible();
  await uploads.getByLabel("Folder of crossings").setInputFiles(folder);
  await expect(uploads.getByText("297 items, 3 files refused")).toBeVisible({ timeout: 200_000 });
  await expect(page.evaluate(() => localStorage.getItem("muster.uploads"))).resolves.toBe("[]");
  await uploads.getByRole("link", { name: "See why" }).click();

  const refused = page.getByRole("table", { name: "Refused files" });
  await expect(refused.getByRole("row")).toHaveCount(4);
  await expect(refused.getByRole("row", { name: /crossings\/front\/007\.png/ })).toContainText("damaged");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Refused files as CSV" }).click(),
  ]);
  expect(readFileSync(await file.path(), "utf8").split("\r\n")).toHaveLength(5);

  // Again: what the dataset has is skipped, and the three are tried anew.
  await page.getByRole("button", { name: "Upload", exact: true }).first().click();
  await dialog.getByLabel("Folder").setInputFiles(folder);
  await dialog.getByRole("button", { name: "Upload 300 files" }).click();
  await expect(dialog.getByText(/The dataset has 297 of these names already/)).toBeVisible();
  await dialog.getByRole("button", { name: "Skip them" }).click();
  await expect(dialog.getByText("0 items, 3 files refused, 297 files not sent")).toBeVisible({ timeout: 200_000 });
  const { item_count: count } = await api.get<{ item_count: number }>(`${at}/`);
  expect(count).toBe(297);
});
