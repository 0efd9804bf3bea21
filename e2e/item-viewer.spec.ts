import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import sharp from "sharp";
import { annotateYard, inDatabase } from "./data-loop";
import { makeDataset } from "./dataset-files";
import { checkAxe, expect, inEveryLook, inNextLook, live, test, unique } from "./fixtures";

/** A picture of one colour. */
const picture = (value: number, width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: value, g: 120, b: 200 } } })
    .png()
    .toBuffer();

async function pictures(names: readonly string[]): Promise<Record<string, Buffer>> {
  const entries = await Promise.all(names.map(async (name, at) => [name, await picture(at * 12)] as const));
  return Object.fromEntries(entries);
}

const stage = (page: Page): Locator => page.getByRole("img", { name: /pixels|frame|points/ });

test("arrows follow the order of the filter, and the view, its brightness and the place in the address are its own", async ({
  page,
  api,
  request,
}) => {
  const names = Array.from(
    { length: 14 },
    (_, at) => `${at % 2 === 0 ? "front" : "rear"}/${String(at).padStart(2, "0")}.png`,
  );
  const { path, items } = await makeDataset(api, request, { data_type: "image" }, await pictures(names));
  const fronts = names.filter((name) => name.startsWith("front"));
  const search = "filter_query_string=key+%7E+front&ordering=key";
  // Keys that come before the items around are known lead there once they are.
  let answer = () => {};
  const answered = new Promise<void>((resolve) => void (answer = resolve));
  await page.route("**/api/trpc/**items.neighbours**", async (route) => {
    await answered;
    await route.fallback();
  });
  await page.goto(`${path}/items/${items.get(fronts[0] ?? "")}?${search}`);
  await live(page);
  await expect(page.getByRole("heading", { level: 1, name: fronts[0] })).toBeVisible();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
  answer();
  await expect(page.getByRole("heading", { level: 1, name: fronts[2] })).toBeVisible();
  const strip = page.getByRole("navigation", { name: "Neighbouring items" });
  await expect(strip.getByRole("link")).toHaveCount(7);
  for (let at = 3; at < fronts.length; at++) await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("heading", { level: 1, name: fronts.at(-1) })).toBeVisible();
  // Behind the last one there is none.
  await expect(page.getByRole("button", { name: "Next item" })).toBeDisabled();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("heading", { level: 1, name: fronts.at(-2) })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${items.get(fronts.at(-2) ?? "")}.*filter_query_string=key`));

  await expect(stage(page).locator("img[data-ready]")).toBeVisible();
  await page.keyboard.press("b");
  await page.getByRole("slider", { name: "Brightness" }).press("ArrowRight");
  await expect(stage(page).locator("img[data-ready]")).toHaveCSS("filter", /brightness\(1\.05\)/);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("slider", { name: "Brightness" })).toBeHidden();

  await page.keyboard.press("Shift+0");
  await expect(page.getByRole("button", { name: /^100 %/ })).toBeVisible();
  for (let n = 0; n < 6; n++) await page.keyboard.press("+");
  await expect(page).toHaveURL(/zoom=32%2C24%2C3\.8|zoom=32,24,3\.8/);
  await expect(stage(page).locator("img[data-ready]")).toHaveCSS("image-rendering", "pixelated");
  await page.reload();
  await live(page);
  await expect(page.getByRole("button", { name: /^381 %/ })).toBeVisible();
  await page.keyboard.press("0");
  await expect(page).not.toHaveURL(/zoom=/);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(new RegExp(`${path}\\?.*filter_query_string=key.*at=`));
});

test("shapes of the accepted result are listed, hidden and made to stand out; metadata of people is changed", async ({
  page,
  api,
  request,
}) => {
  const { dataset } = await annotateYard(request, api);
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const { results } = await api.get<{ results: { uid: string; annotations_count: number }[] }>(`${path}/items/`);
  const item = results.find(({ annotations_count: count }) => count > 1);
  await page.goto(`${path}/items/${item?.uid}`);
  await live(page);
  const shapes = page.getByRole("list", { name: "Shapes" });
  await expect(shapes.getByRole("listitem")).toHaveCount(4);
  await expect(page.locator("[data-shape]")).toHaveCount(4);
  await shapes.getByRole("button", { name: "Hide car" }).click();
  await expect(page.locator("[data-shape]")).toHaveCount(3);
  await page.keyboard.press("h");
  await expect(page.locator("[data-shape]")).toHaveCount(0);
  await page.keyboard.press("h");
  await expect(page.locator("[data-shape]")).toHaveCount(3);

  await page.getByRole("button", { name: "Add a key" }).click();
  await page.getByRole("textbox", { name: "Key" }).fill("weather");
  await page.getByRole("textbox", { name: "Value" }).fill("fog");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Change weather" })).toBeVisible();
  await page.getByText("Activity", { exact: true }).click();
  await expect(page.getByRole("list", { name: "Activity" })).toContainText("weather");
  await inEveryLook(page, async () => {
    await page.goto(`${path}/items/${item?.uid}`);
    await expect(stage(page).locator("img[data-ready]")).toBeVisible();
    await expect(shapes.getByRole("listitem")).toHaveCount(4);
  });
});

test("d copies an item into another dataset, and Escape leaves the dialog and not the item", async ({
  page,
  api,
  request,
}) => {
  const { path, items } = await makeDataset(api, request, { data_type: "image" }, await pictures(["a.png"]));
  const input = { name: unique("copies"), data_type: "image" };
  const target = await api.post<{ name: string; owner_name: string; slug: string }>("/datasets/", input);
  await page.goto(`${path}/items/${items.get("a.png")}`);
  await live(page);
  await expect(page.getByRole("heading", { level: 1, name: "a.png" })).toBeVisible();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Copy 1 item into a dataset" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`/items/${items.get("a.png")}`));
  await page.getByRole("button", { name: "Copy into another dataset" }).click();
  await dialog.getByRole("combobox", { name: "Into" }).fill(target.name);
  await page.getByRole("option", { name: new RegExp(target.name) }).click();
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  await expect(page.getByRole("listitem").filter({ hasText: `1 item on its way to ${target.name}` })).toBeVisible();
  const copied = async () => {
    const { results } = await api.get<{ results: { key: string }[] }>(
      `/datasets/${target.owner_name}/${target.slug}/items/`,
    );
    return results.map(({ key }) => key);
  };
  await expect.poll(copied, { timeout: 15_000 }).toEqual(["a.png"]);
});

/** The number that a picture carries in 16 squares along its top; -1 for a canvas without a picture. */
const readNumber = (page: Page): Promise<number> =>
  page
    .getByRole("group", { name: "Video" })
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      // What a thread draws can be read through another canvas only.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      if (!context || canvas.width === 0) return -1;
      context.drawImage(canvas, 0, 0);
      const square = canvas.width / 16;
      let number = 0;
      for (let bit = 0; bit < 16; bit++) {
        const [light = 0, , , alpha] = context.getImageData(bit * square + square / 2, square / 2, 1, 1).data;
        if (alpha === 0) return -1;
        if (light > 128) number |= 1 << bit;
      }
      return number;
    });

test("a video shows the exact frame of the address, and of each step back and forth", async ({
  page,
  api,
  request,
}) => {
  const movie = readFileSync("engine/testing/clips/h264-b.mp4");
  const { path, items } = await makeDataset(api, request, { data_type: "video" }, { "drive.mp4": movie });
  // In the grid its first picture stands for it where the server has ffmpeg, else its format.
  await page.goto(path);
  const cell = page.getByRole("gridcell", { name: "drive.mp4" });
  await expect(cell.locator("img").or(cell.getByText("mp4", { exact: true }))).toBeVisible();
  await page.goto(`${path}/items/${items.get("drive.mp4")}?frame=37`);
  await live(page);
  const number = page.getByRole("spinbutton", { name: "Frame number" });
  await expect.poll(() => readNumber(page)).toBe(37);
  await expect(number).toHaveValue("37");
  for (const [key, frame] of [
    [".", 38],
    [",", 37],
    [",", 36],
    ["Shift+ArrowLeft", 26],
    ["Shift+ArrowRight", 36],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => readNumber(page)).toBe(frame);
  }
  for (const frame of [59, 0, 14, 15, 44]) {
    await number.fill(String(frame));
    await expect.poll(() => readNumber(page)).toBe(frame);
  }
  await expect(page).toHaveURL(/frame=44/);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("Space");
  // It plays to its end.
  await expect.poll(() => readNumber(page)).toBe(59);
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await inNextLook(page, async () => {
    await page.goto(`${path}/items/${items.get("drive.mp4")}`);
    await expect.poll(() => readNumber(page)).toBe(0);
  });
});

/** A cloud of 400 points, 20 m by 20 m, as a PCD file; or each of them so many times. */
function cloud(times = 1): Buffer {
  const count = 400 * times;
  const head = `VERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH ${count}\nHEIGHT 1\nPOINTS ${count}\nDATA binary\n`;
  const points = new Float32Array(count * 4);
  for (let at = 0; at < count; at++) {
    const of = Math.floor(at / times);
    points.set([of % 20, Math.floor(of / 20), Math.sin(of / 9), of], at * 4);
  }
  return Buffer.concat([Buffer.from(head), Buffer.from(points.buffer)]);
}

test("a point cloud is drawn and coloured; one that is damaged says why and can be downloaded", async ({
  page,
  api,
  request,
}) => {
  const files = { "scan.pcd": cloud(), "short.pcd": cloud().subarray(0, 2_000) };
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, files);
  await page.goto(`${path}/items/${items.get("scan.pcd")}?ordering=key`);
  await live(page);
  await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Side" }).click();
  await expect(page.getByRole("button", { name: "Side" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("heading", { name: "It cannot be drawn" })).toBeVisible();
  await expect(page.getByText("The file says 400 points but ends after")).toBeVisible();
  await expect(page.getByRole("alert").getByRole("link", { name: "Download" })).toBeVisible();
  await inNextLook(page, async () => {
    await page.goto(`${path}/items/${items.get("scan.pcd")}`);
    await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  });
});

/** Drags a box over the left half of the cloud. */
async function boxLeftHalf(page: Page): Promise<void> {
  const area = page.getByRole("application", { name: "Box around the points to keep" });
  const { x, y, width, height } = (await area.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height - 1);
  await page.mouse.down();
  await page.mouse.move(x + 1, y + 1, { steps: 4 });
  await page.mouse.up();
  await expect(area).toHaveCount(0);
}

test("the points inside a box stay, drawn or set by keys, from every side, until all are shown again", async ({
  page,
  api,
  request,
}) => {
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "scan.pcd": cloud() });
  await page.goto(`${path}/items/${items.get("scan.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  const said = page.getByRole("status").filter({ hasText: /points/ });
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Isolate" }).click();
  await expect(said).toHaveText(/^[1-9]\d* of 400 points inside$/);
  await checkAxe(page);
  await boxLeftHalf(page);
  await expect(said).toHaveText("200 of 400 points shown");
  await expect(page.getByRole("img", { name: "scan.pcd, 200 of 400 points shown" })).toBeFocused();
  await expect(drawn).toHaveAttribute("data-drawn", "200");

  // By keys alone, from another side, among those that are left.
  await page.keyboard.press("w");
  await page.keyboard.press("i");
  await expect(said.filter({ hasText: "inside" })).toHaveText(/^[1-9]\d* of 200 points inside$/);
  const inside = async () => Number((await said.filter({ hasText: "inside" }).textContent())?.split(" ").at(0));
  const before = await inside();
  for (let press = 0; press < 12; press++) await page.keyboard.press("Shift+ArrowLeft");
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowDown");
  await expect.poll(inside).not.toBe(before);
  const kept = await inside();
  await page.keyboard.press("Enter");
  await expect(said).toHaveText(`${kept} of 400 points shown`);
  await expect(drawn).toHaveAttribute("data-drawn", String(kept));

  await page.keyboard.press("i");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("application")).toHaveCount(0);
  await expect(page).toHaveURL(/\/items\//);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await expect(said).toHaveCount(0);
});

test("a cloud of more than two million points is thinned, which is said, and isolated points stay when all are loaded", async ({
  page,
  api,
  request,
}) => {
  const total = 400 * 5_005;
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "large.pcd": cloud(5_005) });
  await page.goto(`${path}/items/${items.get("large.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  await expect(drawn).toHaveText("2,002,000 points, every 2nd is drawn", { timeout: 30_000 });
  await expect(drawn).toHaveAttribute("data-drawn", String(total / 2), { timeout: 30_000 });
  await page.getByRole("button", { name: "Isolate" }).click();
  await boxLeftHalf(page);
  const said = page.getByRole("status").filter({ hasText: /points shown/ });
  await expect(said).toHaveText("500,500 of 1,001,000 drawn points shown", { timeout: 30_000 });
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(said).toHaveText("1,001,000 of 2,002,000 points shown", { timeout: 30_000 });
  await expect(drawn).toHaveText("2,002,000 points");
});

test("the views of a sequence lie on one axis, and a missing frame is named", async ({ page, api, request }) => {
  const names = ["front/1.png", "front/2.png", "front/3.png", "rear/1.png", "rear/2.png"].map(
    (name) => `drive/${name}`,
  );
  const input = { data_type: "image", is_sequence: true } as const;
  const clouds = Object.fromEntries([1, 2, 3].map((n) => [`drive/lidar/${n}.pcd`, cloud()]));
  const { path } = await makeDataset(api, request, input, { ...(await pictures(names)), ...clouds });
  const { results } = await api.get<{ results: { uid: string }[] }>(`${path}/sequences/`);
  await inNextLook(page, async () => {
    await page.goto(`${path}/sequences/${results[0]?.uid}`);
    await expect(page.getByRole("img", { name: "front, frame 0" })).toBeVisible();
  });
  await live(page);
  for (let n = 0; n < 2; n++) await page.keyboard.press(".");
  await expect(page.getByRole("img", { name: "front, frame 2" })).toBeVisible();
  await expect(page.getByText("Frame 2 is missing")).toBeVisible();
  await expect(page.locator("[data-shown='400']")).toBeVisible();
  await page.getByRole("button", { name: "front" }).click();
  await expect(page.getByText("Frame 2 is missing")).toBeHidden();
  await page.getByRole("link", { name: "Open frame 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "drive/front/3.png" })).toBeVisible();
});

test("an item whose bucket is no longer connected says so, and leads to Storage", async ({
  page,
  api,
  request,
  faults,
}) => {
  faults.expect(/Failed to load resource/);
  const { path, items } = await makeDataset(api, request, { data_type: "image" }, await pictures(["a.png"]));
  const uid = items.get("a.png");
  await inDatabase("update items set storage_key = 'bucket/gone/datasets/x/1' where uid = $1", [uid]);
  await page.goto(`${path}/items/${uid}`);
  await expect(page.getByRole("heading", { name: "Its bucket is not connected any more" })).toBeVisible();
  await expect(page.getByRole("alert").getByRole("link", { name: "Storage" })).toBeVisible();
});
