import { openCameras } from "./camera-recording";
import { expect, live, test } from "./fixtures";

test("the menu of a recording says why another viewer cannot open it", async ({ page, api, request }) => {
  const uid = await openCameras(api, request);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Actions for Cameras" }).click();
  const item = page.getByRole("menuitem", { name: "Open in Foxglove" });
  await expect(item).toHaveAttribute("aria-disabled", "true");
  await expect(item).toContainText("Needs an https address in PUBLIC_URL.");
});
