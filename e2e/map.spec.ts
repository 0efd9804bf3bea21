import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { expect, live, lookFirst, reload, test, unique } from "./fixtures";
import { openDrive, drive, start } from "./map-recording";
import { onlookers } from "./onlookers";

const map = (page: Page) => page.getByRole("img", { name: /^Map of \/gps\/fix/ });

onlookers("a map shows the way of the robot, and where it is at the playhead, in every look", async ({ page }) => {
  const uid = await drive();
  await lookFirst(page, async () => {
    await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 5_000_000_000n)}`);
    await expect(map(page)).toBeVisible();
    await live(page);
  });
  const panel = page.getByRole("figure", { name: "/gps/fix" });
  await expect(panel).toContainText("47.000000, 8.005000");
  await expect(panel).toContainText("19 messages without a fix");
  await expect(map(page)).toHaveAccessibleName("Map of /gps/fix: 47.000000, 8.005000");
  await expect(page.getByRole("figure", { name: "/gps/spare" })).toContainText(
    "The receiver had no fix in 201 messages.",
  );

  // The whole track fits: it begins and ends 28 pixels from the sides. A press on it moves the playhead there.
  const { width, height } = (await map(page).boundingBox())!;
  await map(page).click({ position: { x: width - 28, y: height / 2 } });
  await expect(panel).toContainText("47.000000, 8.020000");
  await map(page).click({ position: { x: width - 80, y: 20 } }); // beside the track
  await expect(panel).toContainText("47.000000, 8.020000");

  // Zoomed in on the middle, the map moves along with the robot.
  for (let times = 0; times < 4; times++) await panel.getByRole("button", { name: "Zoom in" }).click();
  await map(page).click({ position: { x: width - 28, y: height / 2 } });
  await expect(panel).toContainText("47.000000, 8.020000");

  await panel.getByRole("button", { name: "Show the whole track" }).click();
  await map(page).click({ position: { x: 28, y: height / 2 } });
  await expect(panel).toContainText("47.000000, 8.000000");

  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 13_000_000_000n)}`);
  await expect(panel).toContainText("no fix");
});

onlookers("a number of its topic colours the way, with its range @full", async ({ page }) => {
  const uid = await drive();
  await page.goto(`/recordings/${uid}`);
  await live(page);
  const panel = page.getByRole("figure", { name: "/gps/fix" });
  await page.getByRole("button", { name: "Colour the track of /gps/fix" }).click();
  await page.getByRole("menuitemcheckbox", { name: "altitude" }).click();
  await expect(panel.getByText(/^altitude$/)).toBeVisible();
  await expect(panel.getByText("400", { exact: true }).first()).toBeVisible();
  // It is kept with the layout.
  await expect.poll(() => page.url()).toContain("altitude");
  await reload(page);
  await expect(panel.getByText(/^altitude$/)).toBeVisible();
  await page.getByRole("button", { name: "Colour the track of /gps/fix" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Nothing" }).click();
  await expect(panel.getByText(/^altitude$/)).toBeHidden();
});

onlookers("a panel that fails says so, and nothing else stops @full", async ({ page, faults }) => {
  faults.expect(/Cannot read properties of undefined \(reading 'some'\)/);
  const uid = await drive();
  let isBroken = false;
  await page.route("**/api/trpc/**recordings.track**", async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const body = isBroken ? text : text.replace('"latitudes":', '"latitude":');
    isBroken = true;
    await route.fulfill({ response, body });
  });
  await page.goto(`/recordings/${uid}`);
  await live(page);
  const panels = page.getByRole("region", { name: "Panels" });
  const failed = panels.getByRole("alert");
  await expect(failed).toHaveText(/\/gps\/(fix|spare) could not be shown/);
  await expect(panels.getByRole("figure", { name: /\/gps\/(fix|spare)/ })).toHaveCount(1);
  // It can be closed or replaced as any other.
  await expect(
    panels
      .getByRole("group", { name: /^Panel \d: Map/ })
      .filter({ has: page.getByRole("alert") })
      .getByRole("button", { name: /^Panel / }),
  ).toBeVisible();
  await failed.getByRole("button", { name: "Retry" }).click();
  await expect(failed).toHaveCount(1);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("slider", { name: "Playhead" })).toHaveAttribute("aria-valuenow", "1.000");
});

test("an alert shows where on its way the robot was", async ({ page, api, request }) => {
  await api.post("/fleet/rules/", {
    name: unique("Far east"),
    condition_type: "threshold",
    condition: { type: "threshold", topic: "/gps/fix", field: "longitude", operator: ">", value: 8.01 },
    actions: [{ type: "flag_for_review" }],
  });
  const recording = await openDrive(api, request);
  const readAlerts = async () =>
    (await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?recording_id=${recording}`)).results;
  await expect.poll(async () => (await readAlerts()).length).toBe(1);
  const [alert] = await readAlerts();
  await page.goto(`/alerts/${alert?.uid}`);
  await live(page);
  await expect(page.getByText("47.000000, 8.010100")).toBeVisible();
  await expect(page.getByRole("img", { name: "Map of /gps/fix with the place of that moment" })).toBeVisible();
});
