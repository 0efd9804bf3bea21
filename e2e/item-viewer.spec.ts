import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { annotateYard, inDatabase } from "./data-loop";
import { makeDataset } from "./dataset-files";
import { checkAxe, expect, expectNoPageScroll, inEveryLook, inNextLook, live, test, unique, widths } from "./fixtures";
import { cloudFile, pictureFile } from "./item-files";

async function pictures(names: readonly string[]): Promise<Record<string, Buffer>> {
  const entries = await Promise.all(names.map(async (name, at) => [name, await pictureFile(at * 12)] as const));
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
  // A narrow phone can look and go on.
  await page.setViewportSize({ width: 360, height: 780 });
  await page.getByRole("button", { name: "Previous item" }).click();
  await expect(page.getByRole("heading", { level: 1, name: fronts.at(-3) })).toBeVisible();
  await expect(stage(page).locator("img[data-ready]")).toBeVisible();
  await expectNoPageScroll(page);
  await page.setViewportSize(widths.desk);
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

test("d copies an item into another dataset, and Escape leaves the dialog and not the item @full", async ({
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
  await expect.poll(copied).toEqual(["a.png"]);
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

test("the views of a sequence lie on one axis, and a missing frame is named @full", async ({ page, api, request }) => {
  const names = ["front/1.png", "front/2.png", "front/3.png", "rear/1.png", "rear/2.png"].map(
    (name) => `drive/${name}`,
  );
  const input = { data_type: "image", is_sequence: true } as const;
  const clouds = Object.fromEntries([1, 2, 3].map((n) => [`drive/lidar/${n}.pcd`, cloudFile()]));
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

test("the states of many sequences are set at once, and put back @full", async ({ page, api, request }) => {
  const names = ["north/front/1.png", "south/front/1.png"];
  const { path } = await makeDataset(api, request, { data_type: "image", is_sequence: true }, await pictures(names));
  await page.goto(`${path}?tab=sequences`);
  await live(page);
  const list = page.getByRole("list", { name: "Sequences" });
  await expect(list.getByText("untouched")).toHaveCount(2);
  await page.getByRole("checkbox", { name: "Choose north" }).click();
  await page.getByRole("checkbox", { name: "1 sequence chosen" }).click();
  await expect(page.getByRole("checkbox", { name: "2 sequences chosen" })).toBeChecked();
  await checkAxe(page);
  await page.getByRole("button", { name: "Set status" }).click();
  await page.getByRole("menuitem", { name: "final review" }).click();
  await expect(list.getByText("final review")).toHaveCount(2);
  const { results } = await api.get<{ results: { status: string }[] }>(`${path}/sequences/`);
  expect(results.map(({ status }) => status)).toEqual(["final_review", "final_review"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(list.getByText("untouched")).toHaveCount(2);
});

test("an item whose bucket is no longer connected says so, and leads to Storage @full", async ({
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
