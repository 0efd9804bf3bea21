import { expect } from "./fixtures";
import { onlookers } from "./onlookers";

onlookers("an onlooker that changes something is noticed", async ({ page, api, changes }) => {
  await page.route("**/api/trpc/**", (route) => route.fulfill({ json: [] }));
  await page.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto("/blank");
  await page.evaluate(async () => {
    await fetch("/api/trpc/recordings.get,layouts.list?batch=1");
    await fetch("/api/trpc/layouts.create,layouts.use?batch=1", { method: "POST" });
  });
  expect(changes.splice(0)).toEqual(["layouts.create", "layouts.use"]);
  expect(() => api.post("/fleet/devices/", { name: "arm" })).toThrow("changes nothing");
});
