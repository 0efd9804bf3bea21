import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { z } from "zod";
import { expectGoodLooks } from "@/components/testing/looks";
import { drag, open, options, press } from "../testing/editor-of-tests";

/** Presses at places until one is taken: what the magnet does is loaded when it is taken in hand. */
async function begin() {
  const opened = await open();
  const { stage, work } = opened;
  stage.element().focus();
  await press("m");
  const drawn = () => work.kept.at(-1)?.unfinished?.points.length ?? 0;
  await expect
    .poll(async () => {
      if (drawn() === 0) await drag(stage.element(), [[103, 200]]);
      return drawn();
    })
    .toBe(1);
  /** Presses again, as people do, until the picture was read. */
  const add = async (x: number, y: number) => {
    const before = drawn();
    await expect
      .poll(async () => {
        if (drawn() === before) await drag(stage.element(), [[x, y]]);
        return drawn();
      })
      .toBeGreaterThan(before);
  };
  return { ...opened, drawn, add };
}

test("lines follow the edges of the picture between presses, and Enter closes the polygon", async () => {
  const { screen, stage, now, add } = await begin();
  await add(97, 420);
  await add(302, 424);
  await add(298, 200);
  await expectGoodLooks();
  await page.viewport(1440, 900);
  stage.element().focus();
  await press("{Enter}");
  await expect.element(options(screen)).toHaveAccessibleName(/^Polygon, forklift/);
  const points = z.array(z.tuple([z.number(), z.number()])).parse(now()[0]?.coordinates["points"]);
  // The picture has stripes of 50 pixels: two sides lie on edges of theirs.
  const onSides = points.filter(([, y]) => y > 210 && y < 410);
  const wrong = onSides.filter(([x]) => Math.min(Math.abs(x - 100), Math.abs(x - 300)) > 2);
  expect(wrong).toEqual([]);
  expect(points.filter(([x]) => Math.abs(x - 100) <= 2).length).toBeGreaterThan(1);
  expect(points.filter(([x]) => Math.abs(x - 300) <= 2).length).toBeGreaterThan(1);
  expect(points.length).toBeLessThan(60);
});

test("a second press at the place of the first does nothing, and the next one goes on from there", async () => {
  const { screen, stage, drawn, now, add } = await begin();
  // Until the picture was read, a press says so and does nothing either.
  for (let again = 0; again < 5; again += 1) {
    await drag(stage.element(), [[103, 200]]);
    expect(drawn()).toBe(1);
  }
  await add(97, 420);
  await add(302, 424);
  stage.element().focus();
  await press("{Enter}");
  await expect.element(options(screen)).toHaveAccessibleName(/^Polygon, forklift/);
  expect(now()).toHaveLength(1);
});

test("Backspace takes the last press with its line, Escape all, and the tool has a key in the help", async () => {
  const { screen, stage, now, drawn, add } = await begin();
  await add(97, 420);
  await add(302, 424);
  stage.element().focus();
  await press("{Backspace}{Backspace}");
  await expect.poll(drawn).toBe(1);
  await press("{Escape}");
  expect(now()).toEqual([]);
  await press("?");
  await expect.element(screen.getByRole("dialog", { name: "Keys of the editor" })).toHaveTextContent("Magnet");
});
