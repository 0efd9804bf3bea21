import { expect, inEveryLook, live, lookAround, registerDevice, test } from "./fixtures";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test("a device is silenced with a reason, shown as silenced, extended and ended", async ({ api, page }) => {
  const device = await registerDevice(api, { name: "arm-04", tags: ["hall-2"] });
  await page.goto("/settings/silences");
  await expect(page.getByRole("heading", { name: "No silences yet" })).toBeVisible();
  // As other pages link to it.
  await page.goto(`/settings/silences?new=1&device_id=${device.uid}&ends=24`);
  await live(page);
  const dialog = page.getByRole("dialog", { name: "Silence" });
  await expect(dialog.getByRole("button", { name: "Remove filter Device: " + device.uid })).toBeVisible();
  await expect(dialog.getByText("arm-04")).toBeVisible();
  await expect(dialog.getByRole("status")).toHaveText(/Mutes 0 open alerts, \d+ rules?, 1 device/);
  await expect(dialog.getByRole("radio", { name: "24 h" })).toBeChecked();
  await dialog.getByRole("button", { name: "Silence" }).click();
  await expect(dialog.getByText("This field is required.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Gearbox is being replaced");
  await dialog.getByRole("textbox", { name: /Ticket/ }).fill("OPS-7");
  await page.keyboard.press("Control+Enter");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/settings\/silences$/);
  const row = page.getByRole("row", { name: /Muting.*arm-04.*Gearbox is being replaced.*OPS-7.*in 23h/ });
  await expect(row).toBeVisible();

  await row.hover();
  await page.getByRole("button", { name: "Actions for Gearbox is being replaced" }).click();
  await page.getByRole("menuitem", { name: "Extend by 4 h" }).click();
  await expect(page.getByRole("row", { name: /in 1d 03h/ })).toBeVisible();
  await page.getByRole("button", { name: "Actions for Gearbox is being replaced" }).click();
  await page.getByRole("menuitem", { name: "Expire now" }).click();
  await expect(page.getByRole("row", { name: /Expired.*arm-04/ })).toBeVisible();
});

test("a recurring silence mutes only within its hours", async ({ api, page }) => {
  await api.post("/fleet/silences/", {
    matchers: { tags: ["hall-2"], severities: ["info"] },
    reason: "move",
    ticket: "OPS-1",
    ends_at: inHours(0.5),
  });
  await page.goto("/settings/silences?new=1&severity=warning");
  await live(page);
  const dialog = page.getByRole("dialog", { name: "Silence" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Night shift");
  await dialog.getByRole("checkbox", { name: "Only within certain hours" }).click();
  await lookAround(page);
  await dialog.getByRole("button", { name: "Sat" }).click();
  await dialog.getByRole("button", { name: "Silence" }).click();
  await expect(page.getByRole("row", { name: /Mon–Sat 22:00–06:00/ })).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto("/settings/silences");
    await expect(page.getByRole("row", { name: /Night shift/ })).toBeVisible();
    await expect(page.getByRole("row", { name: /#hall-2.*move/ })).toBeVisible();
  });
});
