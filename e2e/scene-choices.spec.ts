import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { readScreen } from "./drawn-pixels";
import { expect, live, unique } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { unturned, vector, zeros } from "./scene-values";
import { findColour, measureView, panel, view } from "./scene-view";
import { jsonTopic, ros2Topic, second, start, toStamp } from "./wire-formats";

const scan = ros2Topic("/scan", "sensor_msgs/LaserScan");
const echoes = ros2Topic("/echoes", "sensor_msgs/MultiEchoLaserScan");
const odometry = ros2Topic("/odom", "nav_msgs/Odometry");
const costs = ros2Topic("/costs", "nav_msgs/OccupancyGrid");
const heights = jsonTopic("/heights", "foxglove.Grid");
const topics = [scan, echoes, odometry, costs, heights];

const pose = (x = 0, y = 0) => ({ position: vector(x, y), orientation: unturned });

/** What may be shown in several ways, twice: half a second after the start, and a second later. */
function listMessages(): TestMessage[] {
  const messages: TestMessage[] = [];
  const write = ({ channel, write: toBytes }: (typeof topics)[number], time: bigint, value: object) =>
    messages.push({ topic: channel.topic, time, data: toBytes(value) });
  const angles = { angle_min: 0, angle_max: 2, angle_increment: 0.5, time_increment: 0, scan_time: 0 };
  for (const time of [start + second / 2n, start + (second * 3n) / 2n]) {
    const header = { stamp: toStamp(time), frame_id: "map" };
    const limits = { header, ...angles, range_min: 0.1, range_max: 10 };
    // The third of five beams saw nothing.
    write(scan, time, { ...limits, ranges: [1, 1, Number.NaN, 1, 1], intensities: [] });
    const several = [{ echoes: [1, 2] }, { echoes: [1, 2] }];
    write(echoes, time, { ...limits, ranges: several, intensities: several });
    const info = { map_load_time: { sec: 0, nanosec: 0 }, resolution: 1, width: 3, height: 1, origin: pose() };
    write(costs, time, { header, info, data: Int8Array.of(100, 50, 99) });
    write(heights, time, {
      timestamp: { sec: Number(time / second), nsec: Number(time % second) },
      frame_id: "map",
      pose: pose(),
      column_count: 3,
      cell_size: { x: 1, y: 1 },
      cell_stride: 2,
      row_stride: 6,
      fields: ["height", "slope"].map((name, offset) => ({ name, offset, type: 1 })),
      data: Buffer.from([1, 9, 2, 5, 3, 7]).toString("base64"),
    });
  }
  // It starts, and is two metres a second fast at the end.
  for (let n = 0; n <= 15; n++) {
    const time = start + BigInt(n) * (second / 10n);
    write(odometry, time, {
      header: { stamp: toStamp(time), frame_id: "map" },
      child_frame_id: "base_link",
      pose: { pose: pose((n / 15) ** 2 * 1.5, 0.3), covariance: zeros(36) },
      twist: { twist: { linear: vector((n / 15) * 2), angular: vector() }, covariance: zeros(36) },
    });
  }
  return messages.sort((a, b) => Number(a.time - b.time));
}

const channels = topics.map(({ channel }) => channel);

const choices = once(async (api, request) => {
  const bytes = await writeMcap(channels, listMessages(), { compression: "zstd" });
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Choices" });
  await waitUntilReady(api, uid);
  return uid;
});

/** Opens one layer alone, seen from above. */
async function open(page: Page, shown: string, choice: object): Promise<void> {
  const uid = await choices();
  const layers = Object.fromEntries(
    channels.map(({ topic }) => [topic, topic === shown ? choice : { is_shown: false }]),
  );
  const config = { layers, from_above: true, follow: "fixed" };
  const tree = JSON.stringify({ v: 1, root: { panel: "p1" }, panels: { p1: { type: "scene", config } } });
  await page.goto(
    `/recordings/${uid}?t=${isoFromNs(start + (second * 3n) / 2n)}&full=p1&tree=${encodeURIComponent(tree)}`,
  );
  await live(page);
}

const says = (page: Page, text: RegExp) => expect(view(page)).toHaveAccessibleName(text);

async function choose(page: Page, label: string, option: string): Promise<void> {
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option }).click();
  await page.keyboard.press("Escape");
}

/** How far the nearest colour beside a place is from a wanted one, of 255. */
type MeasureColour = (x: number, y: number, colour: readonly number[]) => number;

async function readColours(page: Page): Promise<MeasureColour> {
  await view(page).focus();
  await page.keyboard.press("0");
  // The corners of the view say where the ground is.
  await page.keyboard.press("-");
  const toPixel = await measureView(page);
  const picture = await readScreen(view(page));
  return (x, y, colour) => {
    const pixel = toPixel(x, y);
    return findColour(picture, pixel.x, pixel.y, colour);
  };
}

/** Looks until the colours are right: the screen follows what the view says of itself some pictures later. */
const expectColours = (page: Page, check: (colour: MeasureColour) => void): Promise<void> =>
  expect(async () => check(await readColours(page))).toPass();

test("a scan is points, or a line that breaks where a range is missing @full", async ({ page }) => {
  await open(page, "/scan", { colour_by: "flat" });
  await says(page, /\/scan: 4 points/);
  const flat = [89, 153, 242];
  const between = (a: number, b: number) => [(Math.cos(a) + Math.cos(b)) / 2, (Math.sin(a) + Math.sin(b)) / 2] as const;
  await expectColours(page, (points) => {
    expect(points(1, 0, flat)).toBeLessThanOrEqual(8);
    expect(points(...between(0, 0.5), flat)).toBeGreaterThan(30);
  });
  await choose(page, "Form of /scan", "Line, with breaks where ranges are left out");
  await expectColours(page, (line) => {
    expect(line(...between(0, 0.5), flat)).toBeLessThanOrEqual(8);
    expect(line(...between(1.5, 2), flat)).toBeLessThanOrEqual(8);
    expect(line(...between(0.5, 1.5), flat)).toBeGreaterThan(30);
  });
});

test("all echoes of a scanner are shown where somebody wants them @full", async ({ page }) => {
  await open(page, "/echoes", {});
  await says(page, /\/echoes: 2 points/);
  await choose(page, "Echoes of /echoes", "All echoes");
  await says(page, /\/echoes: 4 points/);
});

test("odometry draws its way by its speed, and its twist @full", async ({ page }) => {
  await open(page, "/odom", { decay: 5 });
  await says(page, /\/odom: 1 object/);
  await expectColours(page, (colour) => {
    // The colours of turbo at 0.4 and two thirds of its speed.
    expect(colour(0.24, 0.3, [74, 247, 130])).toBeLessThanOrEqual(24);
    expect(colour(0.667, 0.3, [248, 183, 53])).toBeLessThanOrEqual(24);
    // The tip of the twist, two metres ahead of 1.5.
    expect(colour(3.4, 0.3, [255, 153, 26])).toBeLessThanOrEqual(60);
  });
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await expect(page.getByText("the trail is coloured by speed, 0 to 2 m/s")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Decay time of /odom" })).toContainText("Trail of 5 s");
  for (const label of ["Trail colour", "Decay time", "Camera", "Fixed frame", "Robots"])
    await expect(page.getByText(label, { exact: true })).toBeVisible();
});

test("an occupancy grid has the colours of a map or of costs @full", async ({ page }) => {
  await open(page, "/costs", {});
  await says(page, /\/costs: 1 object/);
  await expectColours(page, (map) => expect(map(0.5, 0.5, [25, 25, 25])).toBeLessThanOrEqual(8));
  await choose(page, "Colours of /costs", "Costs: blue to red, 99 cyan, 100 magenta");
  await expectColours(page, (cost) => {
    expect(cost(0.5, 0.5, [255, 0, 255])).toBeLessThanOrEqual(8);
    expect(cost(1.5, 0.5, [127, 0, 128])).toBeLessThanOrEqual(8);
    expect(cost(2.5, 0.5, [0, 255, 255])).toBeLessThanOrEqual(8);
  });
});

test("a grid with fields has the colours of the chosen one, on the chosen scale @full", async ({ page }) => {
  await open(page, "/heights", { colour_scale: "grey" });
  await says(page, /\/heights: 1 object/);
  await expectColours(page, (height) => {
    for (const [x, grey] of [0, 128, 255].entries())
      expect(height(x + 0.5, 0.5, [grey, grey, grey])).toBeLessThanOrEqual(8);
  });
  await choose(page, "Colour of /heights", "slope");
  await expectColours(page, (slope) => {
    for (const [x, grey] of [255, 0, 128].entries())
      expect(slope(x + 0.5, 0.5, [grey, grey, grey])).toBeLessThanOrEqual(8);
  });
});

test("the view takes in layers that come to the same moment, until somebody moves the camera @full", async ({
  page,
}) => {
  await open(page, "/scan", {});
  await says(page, /\/scan: 4 points/);
  /** Pixels of a metre. */
  const measure = async () => {
    const toPixel = await measureView(page);
    return toPixel(1, 0).x - toPixel(0, 0).x;
  };
  const show = async (layer: string) => {
    await panel(page).getByRole("button", { name: "Layers and frames" }).click();
    await page.getByRole("switch", { name: layer, exact: true }).click();
    await page.keyboard.press("Escape");
    await says(page, new RegExp(`${layer}: 1 object`));
  };
  const alone = await measure();
  await show("/heights");
  await expect.poll(measure).toBeLessThan(alone * 0.9);
  const fitted = await measure();
  await view(page).focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  const chosen = await measure();
  expect(chosen / fitted).toBeCloseTo(1.25 ** 2, 1);
  await show("/odom");
  expect(await measure()).toBeCloseTo(chosen, 0);
});
