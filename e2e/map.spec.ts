import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, inEveryLook, live, test, unique, type Api } from "./fixtures";
import { uploadRecording } from "./recording-files";

/** Nanoseconds since 1970. */
const start = 1_770_000_000_000_000_000n;
const seconds = 20;

/** A robot that drives east for twenty seconds, a thousandth of a degree each; without a fix from 12 to 14 s. */
function driveRecording(): Promise<Buffer> {
  const schema = { messageEncoding: "json", schemaEncoding: "jsonschema", schema: "{}" };
  const channels = [
    { topic: "/gps/fix", schemaName: "sensor_msgs/NavSatFix", ...schema },
    { topic: "/gps/spare", schemaName: "foxglove.LocationFix", ...schema },
  ];
  const messages = Array.from({ length: 10 * seconds + 1 }, (_, n): TestMessage[] => {
    const time = start + BigInt(n) * 100_000_000n;
    const status = { status: n > 120 && n < 140 ? -1 : 0 };
    const fix = { status, latitude: 47, longitude: 8 + n * 1e-4, altitude: 400 };
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    return [
      { topic: "/gps/fix", time, data: json(fix) },
      { topic: "/gps/spare", time, data: json({ latitude: 0, longitude: 0 }) },
    ];
  });
  return writeMcap(channels, messages.flat(), { compression: "zstd" });
}

async function openDrive(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: await driveRecording(),
    device: unique("robot"),
    name: "Drive",
  });
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status, { timeout: 30_000 })
    .toBe("ready");
  return uid;
}

const map = (page: Page) => page.getByRole("img", { name: /^Map of \/gps\/fix/ });

test("a map shows the way of the robot, and where it is at the playhead", async ({ page, api, request }) => {
  const uid = await openDrive(api, request);
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 5_000_000_000n)}`);
  await live(page);
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
  await expect.poll(async () => (await readAlerts()).length, { timeout: 30_000 }).toBe(1);
  const [alert] = await readAlerts();
  await page.goto(`/alerts/${alert?.uid}`);
  await live(page);
  await expect(page.getByText("47.000000, 8.010100")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("img", { name: "Map of /gps/fix with the place of that moment" })).toBeVisible();
});

test("is accessible in both themes, on desktop and phone", async ({ page, api, request }) => {
  const uid = await openDrive(api, request);
  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}`);
    await expect(map(page)).toBeVisible();
    await live(page);
  });
});
