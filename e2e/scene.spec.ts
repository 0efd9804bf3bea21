import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { readScreen } from "./drawn-pixels";
import { expect, live, lookFirst, reload, widths } from "./fixtures";
import { onlookers as test } from "./onlookers";
import { scene, start } from "./scene-recording";

const panel = (page: Page) => page.getByRole("figure", { name: "3-D" });
const view = (page: Page) => panel(page).getByRole("img");

interface Spot {
  count: number;
  /** Middle, in pixels from the left and the top. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where a colour is in the picture. */
async function findSpot(page: Page, colour: "red" | "blue"): Promise<Spot> {
  const { data, width, height } = await readScreen(view(page));
  const found = { count: 0, left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, x: 0, y: 0 };
  for (let at = 0; at < width * height; at++) {
    const [red, green, blue] = [data[at * 3]!, data[at * 3 + 1]!, data[at * 3 + 2]!];
    const [wanted, other] = colour === "red" ? [red, blue] : [blue, red];
    if (wanted < 90 || wanted < other + 80 || wanted < green + 80) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    found.count++;
    found.x += x;
    found.y += y;
    [found.left, found.right] = [Math.min(found.left, x), Math.max(found.right, x)];
    [found.top, found.bottom] = [Math.min(found.top, y), Math.max(found.bottom, y)];
  }
  const { count, left, right, top, bottom } = found;
  return { count, x: found.x / count, y: found.y / count, width: right - left + 1, height: bottom - top + 1 };
}

/** Both spots, once two shots in a row are alike: the screen follows the camera some pictures later. */
async function findSpots(page: Page): Promise<{ red: Spot; blue: Spot }> {
  const find = async () => ({ red: await findSpot(page, "red"), blue: await findSpot(page, "blue") });
  let found = await find();
  await expect(async () => {
    const before = found;
    found = await find();
    expect(found).toEqual(before);
  }).toPass();
  return found;
}

/** Opens the recording at a moment and waits until the scene of it is drawn. */
async function openAt(page: Page, uid: string, second: number): Promise<void> {
  const moment = isoFromNs(start + BigInt(second * 1000) * 1_000_000n);
  await page.goto(`/recordings/${uid}?t=${moment}`);
  await live(page);
  await expect(view(page)).toHaveAccessibleName(new RegExp(`3-D view of ${moment.slice(0, 21)}.*/boxes: 1 object`));
}

test("a cloud is drawn where its transforms say, and what cannot be drawn says why", async ({ page }) => {
  const uid = await scene();
  await openAt(page, uid, 2);
  await expect(view(page)).toHaveAccessibleName(/\/points: 10,000 points/);
  await expect.poll(async () => (await findSpot(page, "red")).count).toBeGreaterThan(300);
  expect((await findSpot(page, "blue")).count).toBeGreaterThan(20);

  const problems = panel(page).getByRole("list", { name: "Not shown" });
  await expect(problems).toContainText(
    "/radar: drawn in its own frame: no transform radar ← odom: radar is not connected (known: base_link, lidar, odom)",
  );
  await expect(problems).toContainText(`/broken: Cannot be shown: The field "rgb" ends at byte 16 of 12.`);

  // From above the square is one.
  await view(page).focus();
  await page.keyboard.press("2");
  await page.keyboard.press("0");
  await expect
    .poll(async () => {
      const { width, height } = await findSpot(page, "red");
      return Math.abs(width - height);
    })
    .toBeLessThanOrEqual(2);
  const { red: above, blue: box } = await findSpots(page);
  // Both are on the x axis, two metres apart; the square is two metres wide.
  expect(Math.abs(above.y - box.y)).toBeLessThan(3);
  expect((box.x - above.x) / above.width).toBeCloseTo(1, 1);

  // A press says what is there, two measure.
  await view(page).click({ position: { x: above.x, y: above.y } });
  const status = panel(page).getByRole("status");
  await expect(status).toContainText("/points");
  await expect(status).toContainText(/x −?0(\.0\d)?y/);
  await expect(status).toContainText("red 255green 0blue 0");
  await page.keyboard.press("m");
  await view(page).click({ position: { x: above.x, y: above.y } });
  await view(page).click({ position: { x: box.x, y: box.y } });
  await expect(status).toContainText(/^(1\.[89]|2\.[0-2])\d? m \(/);
});

test("the camera follows the robot, or stays @full", async ({ page }) => {
  const uid = await scene();
  await openAt(page, uid, 1);
  await view(page).focus();
  await page.keyboard.press("2");
  await page.keyboard.press("0");
  await expect.poll(async () => (await findSpot(page, "blue")).count).toBeGreaterThan(20);
  // Until the camera rests.
  await expect.poll(async () => (await findSpot(page, "red")).count).toBeGreaterThan(300);
  const { red, blue } = await findSpots(page);

  // A second later the robot is half of the square's width nearer to the box: it stays in the picture, the box comes.
  await view(page).blur();
  await page.keyboard.press("ArrowRight");
  await expect(view(page)).toHaveAccessibleName(/:02\.0\d*Z;/);
  await expect.poll(async () => blue.x - (await findSpot(page, "blue")).x).toBeGreaterThan(red.width / 4);
  const later = await findSpots(page);
  expect(blue.x - later.blue.x).toBeGreaterThan(red.width / 4);
  expect(Math.abs(later.red.x - red.x)).toBeLessThanOrEqual(3);

  // Without following, the robot moves instead.
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await page.getByRole("combobox", { name: "Camera", exact: true }).click();
  await page.getByRole("option", { name: "Do not follow" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await findSpot(page, "red")).x - later.red.x).toBeGreaterThan(red.width / 4);
});

test("layers are coloured, hidden and shown, and frames are listed, in every look", async ({ page }) => {
  const uid = await scene();
  await lookFirst(page, () => openAt(page, uid, 2));
  await expect.poll(async () => (await findSpot(page, "red")).count).toBeGreaterThan(300);
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  // Times are written as everywhere else on the page.
  await expect(page.getByRole("list", { name: "Layers" })).toContainText(
    /ends at byte 16 of 12\. \(\d\d:\d\d:02\.000\)/,
  );
  await page.getByRole("combobox", { name: "Colour of /points" }).click();
  await page.getByRole("option", { name: "One colour" }).click();
  await expect.poll(async () => (await findSpot(page, "red")).count).toBe(0);
  await page.getByRole("switch", { name: "Show frames" }).click();
  const frames = page.getByRole("list", { name: "Frames" });
  await expect(frames.getByRole("listitem")).toHaveText(["base_link in odom", "lidar in base_linkfixed", "odomroot"]);
  await page.getByRole("switch", { name: "/points" }).click();
  await page.keyboard.press("Escape");
  await expect(view(page)).not.toHaveAccessibleName(/\/points: 10,000 points/);

  // The layout keeps all of it, and the address what is not saved.
  await panel(page).getByRole("button", { name: "Look from above" }).click();
  // The changes before name it too, as false.
  await expect.poll(() => decodeURIComponent(page.url())).toContain('"from_above":true');
  await reload(page);
  await expect(panel(page).getByRole("button", { name: "Look from the side" })).toBeVisible();
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await expect(page.getByRole("switch", { name: "/points" })).not.toBeChecked();
  await expect(page.getByRole("switch", { name: "Show frames" })).toBeChecked();
  await page.getByRole("switch", { name: "/points" }).click();
  await expect(page.getByRole("combobox", { name: "Colour of /points" })).toContainText("One colour");

  // All of it can be reached on a phone.
  await page.keyboard.press("Escape");
  await page.setViewportSize(widths.phone);
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  const options = page.getByRole("dialog", { name: "What the 3-D view shows" });
  const top = () => options.evaluate((element) => element.getBoundingClientRect().top);
  await expect.poll(top).toBeGreaterThanOrEqual(0);
  await expect(options.getByRole("switch", { name: "/boxes" })).toBeInViewport();
});

test("without WebGL the objects are listed @full", async ({ page, faults }) => {
  faults.expect(/WebGL/);
  await page.route("**/engine/scene.worker-*.js", async (route) => {
    const response = await route.fetch();
    const body = `OffscreenCanvas.prototype.getContext = () => null;${await response.text()}`;
    await route.fulfill({ response, body });
  });
  const uid = await scene();
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await expect(panel(page)).toContainText("3-D needs WebGL; the list of objects is below.");
  await expect(panel(page).getByRole("button", { name: "Measure a distance" })).toBeDisabled();
  await expect(panel(page).getByRole("row", { name: "/points sensor_msgs/msg/PointCloud2 61" })).toBeVisible();
});
