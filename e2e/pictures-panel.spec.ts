import type { Page } from "@playwright/test";
import sharp from "sharp";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { checkAxe, expect, live, lookFirst } from "./fixtures";
import { onlookers as test } from "./onlookers";
import { pictures, size, start } from "./picture-recording";

const panel = (page: Page, topic: string) => page.getByRole("figure", { name: topic });
const view = (page: Page, topic: string) => panel(page, topic).getByRole("group", { name: `View of ${topic}` });

/** The colour of a pixel of a picture, as it is drawn. */
const readPixel = (page: Page, topic: string, x: number, y: number): Promise<number[]> =>
  panel(page, topic)
    .locator("canvas")
    .evaluate(
      (canvas: HTMLCanvasElement, [x, y]) => {
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d")!;
        context.drawImage(canvas, 0, 0);
        return [...context.getImageData(x!, y!, 1, 1).data];
      },
      [x, y],
    );

/** Where a pixel of a picture lies on the screen. */
const findPixel = (page: Page, topic: string, x: number, y: number): Promise<{ x: number; y: number }> =>
  panel(page, topic)
    .locator("canvas")
    .evaluate(
      (canvas: HTMLCanvasElement, [x, y]) => {
        const box = canvas.getBoundingClientRect();
        return {
          x: box.left + ((x! + 0.5) / canvas.width) * box.width,
          y: box.top + ((y! + 0.5) / canvas.height) * box.height,
        };
      },
      [x, y],
    );

async function open(page: Page, uid: string): Promise<void> {
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 500_000_000n)}`);
  await live(page);
  await expect.poll(() => readPixel(page, "/cam/image", 3, 5)).toEqual([255, 0, 0, 255]);
}

const openSettings = (page: Page, topic: string) =>
  panel(page, topic)
    .getByRole("button", { name: `Settings of ${topic}` })
    .click();

test("depth keeps its 16 bits: values under the pointer, a scale of colours, and a range that is typed @full", async ({
  page,
}) => {
  await open(page, await pictures());
  const topic = "/depth/image";
  await expect(panel(page, topic)).toContainText("mm");
  // The first pixel was not measured.
  await expect.poll(() => readPixel(page, topic, 0, 0)).toEqual([0, 0, 0, 0]);
  const at = await findPixel(page, topic, 3, 2);
  await page.mouse.move(at.x, at.y);
  await expect(panel(page, topic)).toContainText("x 3 y 2 · none");
  const next = await findPixel(page, topic, 4, 2);
  await page.mouse.move(next.x, next.y);
  await expect(panel(page, topic)).toContainText("x 4 y 2 · 1360 mm");

  await openSettings(page, topic);
  await expect(page.getByText("Colour scale", { exact: true })).toBeVisible();
  await page.getByRole("combobox", { name: "Colour scale" }).click();
  await page.getByRole("option", { name: "Grey" }).click();
  await page.getByRole("switch", { name: "Range from the picture" }).click();
  await page.getByRole("textbox", { name: "From (mm)" }).fill("1000");
  await page.getByRole("textbox", { name: "To (mm)" }).fill("1510");
  await expect.poll(() => readPixel(page, topic, 4, 2)).toEqual([180, 180, 180, 255]);
  await expect(panel(page, topic)).toContainText("1510 mm");
});

test("a picture is enlarged, moved, turned and adjusted by keys and pointer, and saved as it was recorded", async ({
  page,
}) => {
  await open(page, await pictures());
  const topic = "/cam/image";
  const box = () => panel(page, topic).locator("canvas").boundingBox();
  // What is said of its annotations takes room from it, and it is drawn before the size of its panel is known.
  await expect(panel(page, topic)).toContainText("/cam/boxes belongs to another picture");
  await expect
    .poll(async () => {
      const [picture, room] = [(await box())!, (await view(page, topic).boundingBox())!];
      return Math.min(Math.abs(room.width - picture.width), Math.abs(room.height - picture.height));
    })
    .toBeLessThan(3);
  const fitted = await box();
  await view(page, topic).focus();
  await page.keyboard.press("+");
  await expect.poll(async () => (await box())!.width / fitted!.width).toBeCloseTo(1.25, 1);
  // A picture that is higher than its panel can be moved.
  for (let press = 0; press < 5; press++) await page.keyboard.press("+");
  await expect.poll(async () => (await box())!.width / fitted!.width).toBeCloseTo(1.25 ** 6, 1);
  const enlarged = await box();
  await page.keyboard.press("ArrowDown");
  await expect.poll(async () => (await box())!.y).toBeCloseTo(enlarged!.y - 40, 0);
  await page.keyboard.press("Shift+Digit0");
  await expect.poll(async () => (await box())!.width).toBeCloseTo(size.width, 0);
  await page.keyboard.press("0");
  await expect.poll(box).toEqual(fitted);

  // The pixel under the pointer stays there.
  const corner = await findPixel(page, topic, 2, 9);
  await page.mouse.move(corner.x, corner.y);
  await page.mouse.wheel(0, -300);
  await expect.poll(async () => (await box())!.width / fitted!.width).toBeGreaterThan(2);
  const after = await findPixel(page, topic, 2, 9);
  // The mouse reports whole pixels.
  expect(Math.hypot(after.x - corner.x, after.y - corner.y)).toBeLessThan(3);
  await expect(panel(page, topic)).toContainText("x 2 y 9 · 255 0 0");
  await page.mouse.down();
  await page.mouse.move(corner.x + 30, corner.y - 10, { steps: 3 });
  await page.mouse.up();
  await expect
    .poll(async () => {
      const dragged = await findPixel(page, topic, 2, 9);
      return Math.hypot(dragged.x - after.x - 30, dragged.y - after.y + 10);
    })
    .toBeLessThan(3);
  await page.keyboard.press("0");
  await page.keyboard.press("r");
  await expect.poll(async () => (await box())!.height > (await box())!.width).toBe(true);

  await openSettings(page, topic);
  await page.getByRole("slider", { name: "Brightness" }).press("ArrowRight");
  await expect(panel(page, topic)).toContainText("adjusted");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save picture" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`cam-image_${start + 500_000_000n}.png`);
  const { data, info } = await sharp(await file.path())
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([size.width, size.height]);
  expect([...data.subarray(4 * (5 * size.width + 3), 4 * (5 * size.width + 3) + 3)]).toEqual([255, 0, 0]);
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(panel(page, topic)).not.toContainText("adjusted");
});

test("annotations are drawn over the picture of their stamp, and others are dimmed and said", async ({ page }) => {
  await open(page, await pictures());
  const drawing = panel(page, "/cam/image").locator("svg[viewBox='0 0 16 12']");
  await expect(drawing.locator("[data-topic='/cam/shapes'] circle")).toHaveAttribute("r", "2");
  await expect(drawing.locator("[data-topic='/cam/shapes'] line")).toHaveCount(1);
  await expect(drawing.locator("text").filter({ hasText: "pallet" })).toHaveCount(1);
  await expect(drawing.locator("[data-topic='/cam/shapes']")).not.toHaveClass(/opacity/);
  await expect(drawing.locator("[data-topic='/cam/boxes']")).toHaveClass(/opacity/);
  await expect(panel(page, "/cam/image")).toContainText("/cam/boxes belongs to another picture");
  await expect(panel(page, "/cam/image")).toContainText(
    "The last point of a list of lines has no pair and is left out",
  );
  // The corner of the picture is that of its first pixel.
  const [line, canvas] = await Promise.all([
    drawing.locator("line").evaluate((element) => element.getBoundingClientRect().left),
    panel(page, "/cam/image")
      .locator("canvas")
      .evaluate((element) => element.getBoundingClientRect().left),
  ]);
  expect(line).toBeCloseTo(canvas, 0);
  // Names are as high on the screen however far the picture is enlarged.
  const measure = (text: string) =>
    drawing
      .locator("text")
      .filter({ hasText: text })
      // The box around a text is rounded to pixels of the picture, which are large here.
      .evaluate(
        (element: SVGTextElement) => parseFloat(getComputedStyle(element).fontSize) * element.getScreenCTM()!.d,
      );
  const [name, said] = [await measure("box"), await measure("pallet")];
  expect(name).toBeGreaterThan(11);
  expect(name).toBeLessThan(20);
  await page.getByRole("group", { name: "View of /cam/image" }).press("+");
  await expect.poll(() => measure("pallet")).toBeGreaterThan(said * 1.1);
  expect(await measure("box")).toBeCloseTo(name, 0);
  await openSettings(page, "/cam/image");
  await page.getByRole("switch", { name: "Draw /cam/boxes" }).click();
  await expect(drawing.locator("[data-topic='/cam/boxes']")).toHaveCount(0);
  await expect(
    panel(page, "/raw/image")
      .locator("svg[viewBox]")
      .filter({ has: page.locator("g") }),
  ).toHaveCount(0);
});

test("annotations stay as long, are as wide and as sure as a panel is set to by keys, and its layout keeps that @full", async ({
  page,
}) => {
  const uid = await pictures();
  // The last picture: the boxes up to it are half a second old.
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 900_000_000n)}`);
  await live(page);
  const topic = "/cam/image";
  const drawing = panel(page, topic).locator("svg[viewBox='0 0 16 12']");
  const boxes = drawing.locator("[data-topic='/cam/boxes']");
  await expect(boxes.locator("polygon")).toHaveAttribute("stroke-width", "2");
  const choose = async (name: string, option: string) => {
    await page.getByRole("combobox", { name }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: option, exact: true }).press("Enter");
  };
  await openSettings(page, topic);
  await choose("How long annotations stay", "Stay for 0.2 s");
  await expect(boxes).toHaveCount(0);
  await choose("How long annotations stay", "Stay for 1 s");
  await expect(boxes.locator("polygon")).toHaveCount(1);
  await expect(boxes).not.toHaveClass(/opacity/);
  await expect(panel(page, topic)).not.toContainText("belongs to another picture");
  await choose("Width of lines", "4 px");
  await expect(boxes.locator("polygon")).toHaveAttribute("stroke-width", "4");
  const least = page.getByRole("slider", { name: "Least score" });
  await least.focus();
  for (let press = 0; press < 11; press++) await page.keyboard.press("ArrowRight");
  await expect(boxes.locator("polygon")).toHaveCount(0);
  await expect(panel(page, topic)).toContainText("/cam/boxes: 1 detection scores less than 0.55");
  await expect(drawing.locator("[data-topic='/cam/shapes'] line")).toHaveAttribute("stroke-width", "4");
  // The address holds what is not saved.
  await expect(page).toHaveURL(/least_score.{1,8}0\.55/);
  await page.reload();
  await live(page);
  await expect(drawing.locator("[data-topic='/cam/shapes'] line")).toHaveAttribute("stroke-width", "4");
  await expect(panel(page, topic)).toContainText("/cam/boxes: 1 detection scores less than 0.55");
});

test("the distortion of a lens is removed where its calibration is for such pictures, else the reason is said, in every look @full", async ({
  page,
}) => {
  const uid = await pictures();
  await lookFirst(
    page,
    async () => {
      await open(page, uid);
      await openSettings(page, "/cam/image");
      await expect(page.getByRole("slider", { name: "Brightness" })).toBeVisible();
    },
    () => checkAxe(page),
  );
  await page.keyboard.press("Escape");
  const rectify = async (topic: string) => {
    await openSettings(page, topic);
    await page.getByRole("switch", { name: "Rectified" }).click();
    await page.keyboard.press("Escape");
  };
  await rectify("/cam/image");
  // The white first row bends out of the picture, whose middle stays as it is.
  await expect.poll(() => readPixel(page, "/cam/image", 0, 0)).toEqual([0, 0, 0, 0]);
  await expect.poll(() => readPixel(page, "/cam/image", 3, 6)).toEqual([255, 0, 0, 255]);
  await rectify("/raw/image");
  await expect(panel(page, "/raw/image")).toContainText("The camera is not calibrated: K[0] is 0.");
  await rectify("/odd/image");
  await expect(panel(page, "/odd/image")).toContainText("calibrated for 32×24, the picture is 16×12");
  await expect.poll(() => readPixel(page, "/odd/image", 3, 6)).toEqual([255, 0, 0, 255]);
});

test("small pictures of a camera lie under its density, at their moments @full", async ({ page }) => {
  await open(page, await pictures());
  await page.keyboard.press("t");
  const lane = page.getByRole("img", { name: "/cam/image: 10 small pictures over time" });
  await lane.scrollIntoViewIfNeeded();
  // Left halves are red, right halves blue.
  const count = () =>
    lane.evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      let [red, blue] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if (data[at]! > 200 && data[at + 2]! < 80) red += 1;
        if (data[at]! < 80 && data[at + 2]! > 200) blue += 1;
      }
      return Math.min(red, blue);
    });
  await expect.poll(count).toBeGreaterThan(1_000);
});
