import { expect, lookAround, lookFirst, live, test } from "./fixtures";
import { makePictures } from "./pictures";

test("a project is made from a dataset by keyboard, and its labels are changed afterwards", async ({
  api,
  request,
  page,
}) => {
  const dataset = await makePictures(api, request);
  await page.goto(`/datasets/${dataset.owner_name}/${dataset.slug}?tab=projects`);
  await live(page);
  await page.getByRole("link", { name: "New project" }).press("Enter");
  await page.waitForURL(/\/projects\/new\?dataset=/);
  await lookFirst(page, async () => {
    await page.goto(page.url());
    await live(page);
    await expect(page.getByText("3 tasks in 1 batch", { exact: true })).toBeVisible();
  });
  await page.getByRole("button", { name: "Add label" }).press("Enter");
  await expect(page.getByRole("textbox", { name: "Name" }).first()).toBeFocused();
  await page.keyboard.type("pallet");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Name" }).nth(1)).toBeFocused();
  await page.keyboard.type("cart");
  await page.keyboard.press("Alt+ArrowUp");
  const guide = page.getByRole("textbox", { name: "Guide" });
  await guide.fill("## Every pallet\n\nAlso **partly** hidden ones.");
  await page.reload();
  await live(page);
  await expect(page.getByText("What you wrote before is back.")).toBeVisible();
  await expect(guide).toHaveValue(/partly/);
  await lookAround(page);
  await guide.press("Control+Enter");

  await page.waitForURL(/\/projects\/[0-9a-f-]+$/);
  await live(page);
  await expect(page.getByRole("heading", { name: dataset.name, level: 1 })).toBeVisible();
  await expect(page.getByText("3 to do")).toBeVisible();
  await page.getByRole("tab", { name: "Guide" }).click();
  await expect(page.getByRole("heading", { name: "Every pallet" })).toBeVisible();
  await page.getByRole("tab", { name: "Labels" }).click();
  const rows = page.getByRole("list", { name: "Labels" }).getByRole("listitem");
  await expect(rows.first()).toHaveAccessibleName("cart");
  await rows.first().getByRole("textbox", { name: "Name" }).fill("trolley");
  await page.getByRole("button", { name: "Save labels" }).press("Enter");
  await expect(page.getByText("cart is now called trolley and keeps class 0.")).toBeVisible();
  await lookAround(page);
});
