import type { Page } from "@playwright/test";
import { checkAxe, expect, live, test, widths } from "./fixtures";
import { makePictures } from "./pictures";

/** The box and its count where an export of the dataset is put together. */
async function showBox(page: Page, dataset: string): Promise<void> {
  await page.goto(`/exports/new?datasets=${dataset}&step=2`);
  await live(page);
  await expect(box(page)).toBeVisible();
}

const box = (page: Page) => page.getByRole("textbox", { name: "Filter items" });
const held = (page: Page) => page.getByRole("status").filter({ hasText: /^Holds/ });

test("a filter is completed by Tab alone, counted while it is typed, and wrong words are marked", async ({
  page,
  api,
  request,
}) => {
  const { uid } = await makePictures(api, request, {
    names: ["front/a.png", "front/b.png", "rear/c.png", "rear/d.png"],
  });
  await showBox(page, uid);
  await expect(held(page)).toHaveText("Holds 4 of 4 items");

  await box(page).click();
  await page.keyboard.type("sta");
  await expect(page.getByRole("option", { name: /^status/ })).toBeVisible();
  await checkAxe(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("option", { name: /^= / })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("unat");
  await expect(page.getByRole("option", { name: /^unattempted.*4/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(box(page)).toHaveText("status = unattempted ");
  await page.keyboard.type("AND (key ~ front OR metadata.wid");
  await expect(page.getByRole("option", { name: /^metadata\.width.*number, 4/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(box(page)).toHaveText(/OR metadata\.width/);
  await page.keyboard.type("> 500");
  await page.keyboard.press("Escape");
  await expect(box(page)).toHaveText("status = unattempted AND (key ~ front OR metadata.width > 500)");
  await expect(held(page)).toHaveText("Holds 2 of 4 items");
  const conditions = page.getByRole("table", { name: "What each condition removes" });
  await expect(conditions.getByRole("row").nth(2)).toContainText("(key ~ front OR metadata.width > 500)");
  await expect(conditions.getByRole("row").nth(2)).toContainText("2");
  await expect(page.getByRole("list", { name: "Items" }).getByRole("listitem")).toHaveCount(2);

  await box(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Delete");
  await expect(page.locator(".cm-filter-fault")).toHaveText("tatus");
  await expect(page.getByText('Unknown field "tatus".')).toBeVisible();
  await expect(held(page)).toHaveText("Holds 2 of 4 items before the last change");
  await page.keyboard.type("s");
  await expect(page.locator(".cm-filter-fault")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(held(page)).toHaveText("Holds 2 of 4 items");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(box(page)).not.toBeFocused();
});

test("a filter that holds nothing loses the condition that removes most, and chips are the same text", async ({
  page,
  api,
  request,
}) => {
  const { uid } = await makePictures(api, request, { names: ["front/a.png", "front/b.png", "rear/c.png"] });
  await showBox(page, uid);
  await box(page).click();
  await page.keyboard.type("key ~ front AND status = completed AND metadata.width = 320 ");
  await expect(page.getByText("No items match.")).toBeVisible();
  await page.getByRole("button", { name: "Without status = completed: 2" }).click();
  await expect(held(page)).toHaveText("Holds 2 of 3 items");
  await expect(box(page)).toHaveText("key ~ front AND metadata.width = 320");

  await page.getByRole("button", { name: "Chips" }).click();
  await checkAxe(page);
  await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
  await checkAxe(page, "colour");
  await page.setViewportSize(widths.phone);
  await checkAxe(page, "structure");
  await page.getByRole("button", { name: "Remove metadata.width = 320" }).first().click();
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get("filter_query_string") === "key ~ front");
  await page.getByRole("button", { name: "Condition" }).click();
  await expect(box(page)).toBeFocused();
  await page.keyboard.type("key = *.png OR key ~ rear");
  await expect(page.getByRole("button", { name: "Chips" })).toBeDisabled();
  await expect(held(page)).toHaveText("Holds 3 of 3 items");
});

test("Tabs that come before the suggestions take them once they are there, before what is typed meanwhile, and Enter runs the result @full", async ({
  page,
  api,
  request,
}) => {
  const { owner_name: owner, slug } = await makePictures(api, request, { names: ["front/a.png", "rear/b.png"] });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/items\.vocabulary/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.goto(`/datasets/${owner}/${slug}`);
  await live(page);
  await box(page).click();
  await page.keyboard.type("metadata.wid");
  await page.keyboard.press("Tab");
  await page.keyboard.type(">= 320 AND (sta");
  await page.keyboard.press("Tab");
  await page.keyboard.type("= unat");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(box(page)).toHaveText("metadata.wid>= 320 AND (sta= unat)");
  await expect(box(page)).toBeFocused();
  answer();
  const filter = "metadata.width >= 320 AND (status = unattempted )";
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get("filter_query_string") === filter);
  await expect(box(page)).toHaveText(filter);
  await expect(page.getByRole("gridcell")).toHaveCount(2);
});
