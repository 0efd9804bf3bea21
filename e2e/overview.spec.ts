import { expect, heartbeat, inEveryLook, live, registerDevice, test } from "./fixtures";

test("the overview's figures link to what they count, and its choices are kept in the address", async ({
  api,
  request,
  page,
}) => {
  const arm = await registerDevice(api, { name: "arm-01", type: "arm", tags: ["hall-1"] });
  await registerDevice(api, { name: "amr-01", type: "amr", metadata: { location: { lat: 53.5, lon: 10 } } });
  await heartbeat(request, arm);
  await page.goto("/");
  await expect(page).toHaveURL(/\/overview$/);
  await live(page);
  await expect(page.getByRole("link", { name: /1\s*Online/ })).toHaveAttribute("href", "/devices?status=online");
  await expect(page.getByRole("group", { name: /Devices by their location/ })).toBeVisible();
  await page.getByRole("radio", { name: "By tag" }).click();
  await expect(page).toHaveURL(/by=tag/);
  await expect(page.getByRole("list", { name: "hall-1" })).toBeVisible();
  await page.getByRole("button", { name: "Show as table" }).click();
  await expect(page.getByRole("region", { name: "Alerts over time as a table" })).toBeVisible();
});

test("the fleet's cells are reached and opened by keyboard", async ({ api, page }) => {
  await registerDevice(api, { name: "arm-01", type: "arm" });
  const second = await registerDevice(api, { name: "arm-02", type: "arm" });
  await page.goto("/overview");
  await live(page);
  await page.getByRole("link", { name: /^arm-01: offline/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("link", { name: /^arm-02: offline/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/devices/${second.uid}`);
});

test("the overview is accessible in every theme and width", async ({ api, page }) => {
  await registerDevice(api, { name: "arm-01", type: "arm" });
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("heading", { name: "Fleet" })).toBeVisible();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  });
});
