import { expect, inEveryLook, live, test, reload } from "./fixtures";

test("a new organization is offered three ways to start, in every theme and width", async ({ page }) => {
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("button", { name: "Explore demo fleet" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Register a device" })).toHaveAttribute("href", "/devices?register=1");
    await expect(page.getByRole("link", { name: "Upload an MCAP" })).toHaveAttribute("href", "/recordings?upload=1");
  });
});

test("the demo fleet shows an alert within a minute, and one press removes all of it", async ({ api, page }) => {
  await page.goto("/overview");
  await live(page);
  await page.getByRole("button", { name: "Explore demo fleet" }).click();
  await expect(page.getByRole("link", { name: "See the first alert" })).toBeVisible({ timeout: 60_000 });
  const progress = page.getByRole("progressbar", { name: "Creating the demo fleet" });
  await expect(progress).toHaveAttribute("aria-valuenow", /^[1-9]\d/);
  await page.getByRole("button", { name: "Remove demo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove demo" }).click();
  await expect(page.getByRole("button", { name: "Explore demo fleet" })).toBeVisible({ timeout: 60_000 });
  expect((await api.get<{ results: unknown[] }>("/fleet/devices/")).results).toEqual([]);
});

test("the first steps stay dismissed, and return on undo", async ({ api, page }) => {
  await api.post("/fleet/devices/", { name: "arm-01" });
  await page.goto("/overview");
  await live(page);
  const steps = page.getByRole("heading", { name: "First steps" });
  await page.getByRole("button", { name: "Dismiss the first steps" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await page.getByRole("button", { name: "Dismiss the first steps" }).click();
  await expect(steps).toBeHidden();
  await reload(page);
  await live(page);
  await expect(page.getByRole("heading", { name: "Fleet" })).toBeVisible();
  await expect(steps).toBeHidden();
});

test("the first steps take one line with the next one, and show all of them on request", async ({ api, page }) => {
  await api.post("/fleet/devices/", { name: "arm-01" });
  await page.goto("/overview");
  await live(page);
  const steps = page.getByRole("region", { name: "First steps" });
  expect((await steps.boundingBox())?.height).toBeLessThan(48);
  await expect(steps.getByRole("link", { name: /^Next: / })).toBeVisible();
  await steps.getByRole("button", { name: "All steps" }).click();
  await expect(steps.getByRole("listitem")).toHaveCount(6);
  await steps.getByRole("button", { name: "Hide steps" }).click();
  await expect(steps.getByRole("listitem")).toHaveCount(0);
});
