import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { z } from "zod";
import { expectGoodLooks } from "@/components/testing/looks";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { makeMask, makePolygon, makeSquare } from "./testing/drafts-of-tests";
import { drag, open, options, press } from "./testing/editor-of-tests";

/** How opaque what is drawn at a place of the picture is, on one of the canvases of the stage. */
function readOpacity(layer: string, [x, y]: readonly [number, number]): number {
  const canvas = document.querySelector<HTMLCanvasElement>(`canvas[data-layer=${layer}]`);
  const context = canvas?.getContext("2d");
  if (!canvas || !context) throw new Error("no canvas");
  const scale = Math.min(canvas.width / 1_000, canvas.height / 800);
  const left = Math.round(canvas.width / 2 + (x - 500) * scale);
  const top = Math.round(canvas.height / 2 + (y - 400) * scale);
  return (context.getImageData(left, top, 1, 1).data[3] ?? 0) / 255;
}

const holed: DraftShape = { ...makePolygon("p", makeSquare(50, 350)), position: 1 };
if (holed.type === "polygon") holed.coordinates.holes = [makeSquare(150, 250)];

describe("a mask and a polygon with a hole", () => {
  const mask = makeMask("m", [makeSquare(400, 700), makeSquare(500, 600)], { label_id: "pallet" });

  test("are drawn without their holes, and listed", async () => {
    const { screen, stage } = await open([mask, holed]);
    await expect
      .element(options(screen).nth(0))
      .toHaveAccessibleName("Polygon, forklift, 4 points, 300 by 300 at 50, 50, 1 hole");
    await expect
      .element(options(screen).nth(1))
      .toHaveAccessibleName("Mask, pallet, 80000 pixels, 300 by 300 at 400, 400");
    await expect.poll(() => readOpacity("still", [450, 550])).toBeCloseTo(0.35, 1);
    expect(readOpacity("still", [550, 550])).toBe(0);
    expect(readOpacity("still", [100, 200])).toBeCloseTo(0.12, 1);
    expect(readOpacity("still", [200, 200])).toBe(0);
    // On the line around the hole.
    expect(readOpacity("still", [500, 550])).toBe(1);
    stage.element().focus();
    await press("{Tab}");
    await expect.poll(() => readOpacity("active", [450, 550])).toBeGreaterThan(0);
    await expectGoodLooks();
  });

  test("are moved by whole pixels, deleted and brought back by keys", async () => {
    const { stage, now } = await open([mask, holed]);
    stage.element().focus();
    await press("{Tab}{ArrowRight}{Shift>}{ArrowDown}{/Shift}");
    expect(now()[0]?.coordinates["box"]).toEqual([401, 410, 300, 300]);
    await press("{Tab}{ArrowLeft}");
    expect(now()[1]?.coordinates["holes"]).toEqual([makeSquare(150, 250).map(([x, y]) => [x - 1, y])]);
    await press("{Delete}");
    expect(now()).toHaveLength(1);
    await press("{Control>}z{/Control}");
    await expect.poll(() => now().length).toBe(2);
  });
});

test("a rotated box is drawn and turned by keys alone", async () => {
  const { screen, stage, now } = await open();
  stage.element().focus();
  await press("u{ArrowRight} {Shift>}{ArrowRight>10/}{/Shift} {Shift>}{ArrowDown}{ArrowDown}{/Shift} ");
  await expect.element(options(screen)).toHaveAccessibleName("Box, forklift, 100 by 20 at 501, 400");
  await press("ve{Shift>}e{/Shift}");
  await expect.element(options(screen)).toHaveAccessibleName(/turned by 15°$/);
  // The handle that turns is the last point.
  await press("{Enter}{Shift>}{Tab}{/Shift}{ArrowRight}{ArrowUp}{ArrowUp}");
  await expect.element(options(screen)).toHaveAccessibleName(/turned by 14°$/);
  expect(now()[0]?.coordinates).toMatchObject({ width: 100, height: 20, rotation: 14 });
  await screen.getByRole("tab", { name: "Attributes" }).click();
  await expectGoodLooks();
});

describe("the brush", () => {
  test("paints and erases by keys alone, and a stroke is taken back", async () => {
    const { screen, stage, now } = await open();
    stage.element().focus();
    await press("s{ArrowRight}");
    // What it does is loaded when it is taken in hand.
    await expect
      .poll(async () => {
        await press(" ");
        return now().length;
      })
      .toBe(1);
    await expect.element(options(screen)).toHaveAccessibleName(/^Mask, forklift, \d+ pixels, 20 by 20 at 491, 390$/);
    await press("{Control>}{ArrowRight}{/Control} ");
    await expect.element(options(screen)).toHaveAccessibleName(/pixels, 120 by 20 at 491, 390$/);
    await press("]]]{Shift>} {/Shift}");
    await expect.element(options(screen)).toHaveAccessibleName(/pixels, 20 by 20 at 491, 390$/);
    await press("{Control>}z{/Control}");
    await expect.element(options(screen)).toHaveAccessibleName(/pixels, 120 by 20 at 491, 390$/);
    await expectGoodLooks();
  });

  test("shows what is painted at once, and what is submitted has the last stroke", async () => {
    const { screen, stage, now, submitted } = await open([makeMask("m", [makeSquare(400, 500)])]);
    stage.element().focus();
    await press("{Tab}s");
    await expect.poll(() => readOpacity("active", [450, 450])).toBeGreaterThan(0);
    await drag(stage.element(), [
      [500, 450],
      [800, 450],
    ]);
    await screen.getByRole("button", { name: "Submit" }).click();
    await expect.poll(() => submitted).toEqual([[]]);
    const [left, , width] = z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .parse(now()[0]?.coordinates["box"]);
    expect(left + width).toBeGreaterThan(800);
    await expect.poll(() => readOpacity("active", [780, 450])).toBeGreaterThan(0);
    await press("v{Escape}");
    await expect.poll(() => readOpacity("still", [780, 450])).toBeGreaterThan(0);
  });
});

test("a polygon gets a hole by keys, and becomes a mask and a polygon again by buttons", async () => {
  const { screen, stage, now } = await open([makePolygon("p", makeSquare(350, 600))]);
  stage.element().focus();
  await press("{Tab}{Shift>}d{/Shift}{ArrowRight} {Shift>}{ArrowRight}{/Shift} {Shift>}{ArrowDown}{/Shift} {Enter}v");
  expect(now()[0]?.coordinates["holes"]).toHaveLength(1);
  await expect.element(options(screen)).toHaveAccessibleName(/1 hole$/);
  await screen.getByRole("tab", { name: "Attributes" }).click();
  await expect.element(screen.getByRole("button", { name: "Cut a hole" })).toBeVisible();
  await expectGoodLooks();
  await page.viewport(1440, 900);
  await screen.getByRole("button", { name: "Make a mask" }).click();
  expect(now().map(({ type }) => type)).toEqual(["mask"]);
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Make a polygon" }).click();
  expect(now()).toMatchObject([{ id: "p", type: "polygon" }]);
  expect(now()[0]?.coordinates["holes"]).toHaveLength(1);
});
