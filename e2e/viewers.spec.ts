import { cameras } from "./camera-recording";
import { expect, live } from "./fixtures";
import { onlookers as test } from "./onlookers";

test("the menu of a recording says why another viewer cannot open it", async ({ page }) => {
  const uid = await cameras();
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Actions for Cameras" }).click();
  const item = page.getByRole("menuitem", { name: "Open in Foxglove" });
  await expect(item).toHaveAttribute("aria-disabled", "true");
  await expect(item).toContainText("Needs an https address in PUBLIC_URL.");
});
