import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { cameras, start } from "./camera-recording";
import { expect, inNextLook, live } from "./fixtures";
import { onlookers as test } from "./onlookers";

const message = (page: Page) => page.getByRole("group", { name: "Message" });

test("a message is a tree, compared with the one before it, whose fields are copied and plotted", async ({ page }) => {
  const uid = await cameras();
  const at = isoFromNs(start + 2_050_000_000n);
  await page.goto(`/recordings/${uid}?tab=message&topic=/rosout&t=${at}`);
  await live(page);
  await expect(message(page).getByRole("button")).toHaveText(["level40", 'name"motor"', 'msg"cycle 20 failed"']);

  await page.getByRole("switch", { name: "Only what changed in 100 ms" }).click();
  await expect(message(page).getByRole("button")).toHaveText([
    "level40 was 20 (+20)changed",
    'msg"cycle 20 failed" was "cycle 19"changed',
  ]);

  // The key "." goes to the next message of the topic.
  await page.getByRole("tab", { name: "Message" }).focus();
  await page.keyboard.press(".");
  await expect(message(page).getByRole("button")).toHaveText([
    "level20 was 40 (−20)changed",
    'msg"cycle 21" was "cycle 20 failed"changed',
  ]);

  await message(page)
    .getByRole("button", { name: /^level/ })
    .click();
  await expect(page.getByText("/rosout.level", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Plot", exact: true }).click();
  await expect(page.getByRole("region", { name: "/rosout.level" }).locator(".uplot canvas")).toBeVisible();
});

test("bytes and members of members are counted, opened and closed @full", async ({ page }) => {
  const uid = await cameras();
  await inNextLook(page, async () => {
    await page.goto(`/recordings/${uid}?tab=message&topic=/left&t=${isoFromNs(start)}`);
    await live(page);
    await expect(message(page).getByText(/bytes$/)).toBeVisible();
  });
  const header = message(page).getByRole("button", { name: "header" });
  await expect(header).toHaveAttribute("aria-expanded", "true");
  await expect(message(page).getByRole("button", { name: /frame_id/ })).toHaveText('frame_id"left"');
  await header.press("Enter");
  await expect(message(page).getByRole("button", { name: /frame_id/ })).toHaveCount(0);
  await expect(page.getByRole("switch", { name: "Only what changed" })).toHaveAttribute("aria-readonly", "true");
});
