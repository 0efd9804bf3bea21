import type { Page } from "@playwright/test";
import { makeDataset } from "./dataset-files";
import { checkAxe, expect, inNextLook, live, test } from "./fixtures";
import { cloudFile } from "./item-files";

test("a point cloud is drawn and coloured; one that is damaged says why and can be downloaded", async ({
  page,
  api,
  request,
}) => {
  const files = { "scan.pcd": cloudFile(), "short.pcd": cloudFile().subarray(0, 2_000) };
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, files);
  await page.goto(`${path}/items/${items.get("scan.pcd")}?ordering=key`);
  await live(page);
  await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Side" }).click();
  await expect(page.getByRole("button", { name: "Side" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("heading", { name: "It cannot be drawn" })).toBeVisible();
  await expect(page.getByText("The file says 400 points but ends after")).toBeVisible();
  await expect(page.getByRole("alert").getByRole("link", { name: "Download" })).toBeVisible();
  await inNextLook(page, async () => {
    await page.goto(`${path}/items/${items.get("scan.pcd")}`);
    await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  });
});

/** Drags a box over the left half of the cloud. */
async function boxLeftHalf(page: Page): Promise<void> {
  const area = page.getByRole("application", { name: "Box around the points to keep" });
  const { x, y, width, height } = (await area.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height - 1);
  await page.mouse.down();
  await page.mouse.move(x + 1, y + 1, { steps: 4 });
  await page.mouse.up();
  await expect(area).toHaveCount(0);
}

test("the points inside a box stay, drawn or set by keys, from every side, until all are shown again", async ({
  page,
  api,
  request,
}) => {
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "scan.pcd": cloudFile() });
  await page.goto(`${path}/items/${items.get("scan.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  const said = page.getByRole("status").filter({ hasText: /points/ });
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Isolate" }).click();
  await expect(said).toHaveText(/^[1-9]\d* of 400 points inside$/);
  await checkAxe(page);
  await boxLeftHalf(page);
  await expect(said).toHaveText("200 of 400 points shown");
  await expect(page.getByRole("img", { name: "scan.pcd, 200 of 400 points shown" })).toBeFocused();
  await expect(drawn).toHaveAttribute("data-drawn", "200");

  // By keys alone, from another side, among those that are left.
  await page.keyboard.press("w");
  await page.keyboard.press("i");
  await expect(said.filter({ hasText: "inside" })).toHaveText(/^[1-9]\d* of 200 points inside$/);
  const inside = async () => Number((await said.filter({ hasText: "inside" }).textContent())?.split(" ").at(0));
  const before = await inside();
  for (let press = 0; press < 12; press++) await page.keyboard.press("Shift+ArrowLeft");
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowDown");
  await expect.poll(inside).not.toBe(before);
  const kept = await inside();
  await page.keyboard.press("Enter");
  await expect(said).toHaveText(`${kept} of 400 points shown`);
  await expect(drawn).toHaveAttribute("data-drawn", String(kept));

  await page.keyboard.press("i");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("application")).toHaveCount(0);
  await expect(page).toHaveURL(/\/items\//);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await expect(said).toHaveCount(0);
});

test("a cloud of more than two million points is thinned, which is said, and isolated points stay when all are loaded", async ({
  page,
  api,
  request,
}) => {
  const total = 400 * 5_005;
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "large.pcd": cloudFile(5_005) });
  await page.goto(`${path}/items/${items.get("large.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  await expect(drawn).toHaveText("2,002,000 points, every 2nd is drawn", { timeout: 30_000 });
  await expect(drawn).toHaveAttribute("data-drawn", String(total / 2), { timeout: 30_000 });
  await page.getByRole("button", { name: "Isolate" }).click();
  await boxLeftHalf(page);
  const said = page.getByRole("status").filter({ hasText: /points shown/ });
  await expect(said).toHaveText("500,500 of 1,001,000 drawn points shown", { timeout: 30_000 });
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(said).toHaveText("1,001,000 of 2,002,000 points shown", { timeout: 30_000 });
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(drawn).toHaveText("2,002,000 points");
});
