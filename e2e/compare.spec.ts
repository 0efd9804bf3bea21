import type { Locator, Page } from "@playwright/test";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import { colours, delay, openCompared, starts } from "./compared-recordings";
import {
  checkAxe,
  createApi,
  expect,
  inEveryLook,
  live,
  registerDevice,
  reload,
  signUp,
  test,
  unique,
  waitForAddress,
} from "./fixtures";

const side = (page: Page, letter: "A" | "B", panel: string): Locator =>
  page.getByRole("group", { name: `${letter}: ${panel}` });

/** The colour in the middle of a camera's picture of one side. */
const readColour = (page: Page, letter: "A" | "B"): Promise<number[]> =>
  side(page, letter, "Camera /front")
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data.slice(0, 3)];
    });

const texts = (table: Locator): Promise<string[][]> =>
  table
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

/** They are beside the panels where there is room for them, and elsewhere once somebody opened them. */
async function openDifferences(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Differences", exact: true })).toBeVisible();
  await page.keyboard.press("]");
  await expect(page.getByRole("complementary", { name: "Differences" })).toBeVisible();
}

const momentOfA = (seconds: number): string => exactIsoFromNs(starts.a + BigInt(seconds * 1e9));

test.describe("two recordings", () => {
  test("are compared: what differs as a whole, values over each other, pictures side by side, in every look", async ({
    api,
    page,
    request,
  }) => {
    const device = await registerDevice(api);
    const a = await openCompared(api, request, "a", device);
    const b = await openCompared(api, request, "b", device);
    await page.goto(`/recordings/compare?a=${a}&b=${b}&t=${momentOfA(10)}`);
    await live(page);

    const differences = page.getByRole("complementary", { name: "Differences" });
    await openDifferences(page);
    await expect(differences).toContainText("6 topics and 8 number fields are in both");
    await expect
      .poll(() => texts(differences.getByRole("table", { name: "Topics only in A" })))
      .toEqual([["/old", "Extra", "31"]]);
    await expect
      .poll(() => texts(differences.getByRole("table", { name: "Topics only in B" })))
      .toEqual([["/new", "Extra", "31"]]);
    await expect
      .poll(() => texts(differences.getByRole("table", { name: /rate differs/ })))
      .toEqual([["/slow", "5 Hz", "2.5 Hz"]]);
    await expect
      .poll(() => texts(differences.getByRole("table", { name: /schema differs/ })))
      .toEqual([["/steady", "Steady", "Steady2"]]);
    await expect
      .poll(() => texts(differences.getByRole("table", { name: "Log lines by level" })))
      .toEqual([
        ["info", "31", "25"],
        ["error", "0", "6"],
      ]);
    await expect
      .poll(async () => (await texts(differences.getByRole("table", { name: /moved most/ })))[0])
      .toEqual(["/level.value", "20 / 20", "25 / 25", "100 %"]);

    // The field that moved most is plotted; its values are read from the table.
    const level = page.getByRole("region", { name: "/level.value", exact: true });
    await expect(level).toContainText("A 20   B 25   B − A 5");
    await level.getByRole("button", { name: "Show as table" }).click();
    const values = page.getByRole("region", { name: "Values of /level.value in A and B" });
    await expect(values.getByRole("row").nth(1)).toContainText("20255");

    // Both cameras show the moment of their own recording, and follow one playhead.
    await expect.poll(() => readColour(page, "A")).toEqual(colours.a(10));
    await expect.poll(() => readColour(page, "B")).toEqual(colours.b(10));
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => readColour(page, "A")).toEqual(colours.a(20));
    await expect.poll(() => readColour(page, "B")).toEqual(colours.b(20));
    await page.keyboard.press("Space");
    await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
    for (const letter of ["A", "B"] as const)
      await expect.poll(() => readColour(page, letter)).not.toEqual(letter === "A" ? colours.a(20) : colours.b(20));
    await page.getByRole("button", { name: "Pause" }).click();

    // What a panel shows otherwise holds for both, and is in the address.
    await page.getByRole("combobox", { name: "Add a panel of both" }).fill("Log");
    await page.getByRole("option", { name: "Log", exact: true }).click();
    const find = (letter: "A" | "B") => side(page, letter, "Log").getByRole("textbox", { name: "Find in log lines" });
    await side(page, "A", "Log").getByRole("button", { name: "Filter lines" }).click();
    await find("A").fill("cycle 9");
    await expect(find("B")).toHaveValue("cycle 9");
    await expect(page).toHaveURL(/settings=.*cycle/);
    await reload(page);
    await expect(find("B")).toHaveValue("cycle 9");
    // They fit every width, in both themes, also when one is archived.
    await api.patch(`/fleet/recordings/${a}/`, { status: "archived" });
    await inEveryLook(page, async () => {
      await page.goto(`/recordings/compare?a=${a}&b=${b}&t=${momentOfA(6)}`);
      await live(page);
      await expect(page.getByRole("region", { name: "Recording A" })).toContainText("Archived");
      await expect(
        page.getByRole("region", { name: "/level.value", exact: true }).locator(".uplot canvas"),
      ).toHaveCount(2);
      await expect.poll(() => readColour(page, "A")).toEqual(colours.a(6));
      await expect.poll(() => readColour(page, "B")).toEqual(colours.b(6));
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    });
    // On a phone, what is compared has the whole screen.
    await page.getByRole("heading", { name: "Differences" }).scrollIntoViewIfNeeded();
    await expect(page.getByRole("heading", { name: "Compare recordings" })).not.toBeInViewport();
  });

  test("have most of the page for their panels, more of it alone, and what opens beside them stays open", async ({
    api,
    page,
    request,
  }) => {
    const device = await registerDevice(api);
    const a = await openCompared(api, request, "a", device);
    const b = await openCompared(api, request, "b", device);
    const sides = page.getByRole("group", { name: /^[AB]: Camera/ });
    const share = async () => {
      const main = (await page.locator("main").boundingBox())!;
      const boxes = await Promise.all((await sides.all()).map(async (each) => (await each.boundingBox())!));
      const ends = boxes.map((box) => ({ right: box.x + box.width, bottom: box.y + box.height }));
      const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
      // What is below the page does not count.
      const bottom = Math.min(main.y + main.height, Math.max(...ends.map((end) => end.bottom)));
      return {
        width: (Math.max(...ends.map(({ right }) => right)) - left) / main.width,
        height: (bottom - top) / main.height,
      };
    };
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1920, height: 1080 },
    ]) {
      await page.setViewportSize(viewport);
      await page.goto(`/recordings/compare?a=${a}&b=${b}&t=${momentOfA(10)}`);
      await live(page);
      await expect(sides).toHaveCount(2);
      await expect.poll(async () => (await share()).height).toBeGreaterThanOrEqual(0.65);
      expect((await share()).width).toBeGreaterThanOrEqual(0.7);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    const differences = page.getByRole("complementary", { name: "Differences" });
    const topics = page.getByRole("group", { name: "Topics of B" });
    await expect(differences).toBeHidden();
    const before = (await share()).height;
    await page.keyboard.press("Shift+F");
    await expect.poll(async () => (await share()).height).toBeGreaterThan(before);
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
    await expect(page.getByRole("slider", { name: "Shift of B in milliseconds" })).toHaveCount(0);
    // What is below the panels cannot be reached.
    const unreachable = page.locator("[inert]").getByRole("button", { name: "Swap" });
    await expect(unreachable).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(unreachable).toHaveCount(0);
    await page.keyboard.press("]");
    await expect(differences).toBeVisible();
    const edge = page.getByRole("separator", { name: "Width of the panel" });
    const width = async () => (await differences.boundingBox())?.width ?? 0;
    const usual = await width();
    await edge.press("ArrowLeft");
    await expect.poll(width).toBeGreaterThan(usual);
    await page.keyboard.press("t");
    await expect(topics).toBeVisible();
    await reload(page);
    await expect(differences).toBeVisible();
    await expect(topics).toBeVisible();
    await checkAxe(page);
  });

  test("are aligned by correlation, by typing, dragging and keys, and by what happened in both @full", async ({
    api,
    page,
    request,
  }) => {
    const device = await registerDevice(api);
    const a = await openCompared(api, request, "a", device);
    const b = await openCompared(api, request, "b", device);
    for (const [recording_id, start, at] of [
      [a, starts.a, 4],
      [b, starts.b, 9],
    ] as const)
      await api.post("/fleet/events/", {
        recording_id,
        type: "info",
        label: "picked",
        timestamp: exactIsoFromNs(start + BigInt(at * 1e9)),
      });
    await page.goto(`/recordings/compare?a=${a}&b=${b}&plots=/motor.value&t=${momentOfA(20)}`);
    await live(page);
    const plot = page.getByRole("region", { name: "/motor.value", exact: true });
    const shift = page.getByRole("textbox", { name: "Shift of B in milliseconds, typed" });
    await expect(plot.locator(".uplot canvas")).toHaveCount(2);
    await expect(shift).toHaveValue("0");

    // What happens in B happens 2.5 s later: it has to begin earlier.
    await plot.getByRole("button", { name: "Align by correlation of /motor.value" }).click();
    await expect(plot.getByRole("status")).toContainText(`shifted by −${delay * 1_000} ms, r = 1.000`);
    await expect(shift).toHaveValue(String(-delay * 1_000));
    await expect(page).toHaveURL(/shift=-2500/);
    await expect(plot).toContainText("B − A 0");
    await expect.poll(() => readColour(page, "B")).toEqual(colours.b(22));

    const ruler = page.getByRole("slider", { name: "Shift of B in milliseconds" });
    await ruler.press("ArrowRight");
    await expect(shift).toHaveValue("-2499");
    await ruler.press("Home");
    await expect(shift).toHaveValue("0");
    const box = (await ruler.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 80, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect(shift).not.toHaveValue("0");
    await expect(page).toHaveURL(/shift=\d+/);
    await shift.fill("1500");
    await shift.press("Enter");
    await expect(page).toHaveURL(/shift=1500/);
    await expect.poll(() => readColour(page, "B")).toEqual(colours.b(18));

    await page.getByRole("combobox", { name: "Align by" }).click();
    await expect(page.getByRole("option", { name: /The clock/ })).toBeDisabled();
    await page.getByRole("option", { name: "First event: picked" }).click();
    await expect(shift).toHaveValue("0");
    await expect.poll(() => readColour(page, "B")).toEqual(colours.b(25));
    await waitForAddress(page);
    await page.getByRole("button", { name: "Swap" }).click();
    await expect(page).toHaveURL(new RegExp(`a=${b}&b=${a}`));
    await expect(page.getByRole("region", { name: "Recording A" })).toContainText("Bad run");
    await expect(page.getByRole("combobox", { name: "Align by" })).toHaveText("First event: picked");
  });

  test("come from the list, from a recording and from an alert", async ({ api, page, request }) => {
    const condition = { type: "threshold", topic: "/level", field: "value", operator: "gt", value: 22 };
    await api.post("/fleet/rules/", { name: "Level high", condition, actions: [{ type: "flag_for_review" }] });
    const device = await registerDevice(api);
    const a = await openCompared(api, request, "a", device);
    const b = await openCompared(api, request, "b", device);
    await page.goto("/recordings");
    await live(page);
    const tick = (name: string) => page.getByRole("row", { name: new RegExp(name) }).getByRole("checkbox");
    await tick("Bad run").check();
    await expect(page.getByRole("button", { name: "Compare" })).toHaveAttribute("aria-disabled", "true");
    await tick("Good run").check();
    await page.keyboard.press("c");
    // The earlier one is A.
    await expect(page).toHaveURL(new RegExp(`/recordings/compare\\?a=${a}&b=${b}`));
    await expect(page.getByRole("region", { name: "Recording A" })).toContainText("Good run");

    await page.goto(`/recordings/${b}`);
    await live(page);
    await page.getByRole("button", { name: /Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Compare with…" }).click();
    await page.getByRole("combobox", { name: "Recording B" }).fill("Good");
    await page.getByRole("option", { name: /Good run/ }).click();
    await expect(page).toHaveURL(new RegExp(`a=${b}&b=${a}`));
    await openDifferences(page);
    await expect(page.getByRole("complementary", { name: "Differences" })).toContainText("Level high");

    const { results } = await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?recording_id=${b}`);
    await page.goto(`/alerts/${results[0]!.uid}`);
    await live(page);
    await page.getByRole("link", { name: "Compare with the last good run" }).click();
    await expect(page).toHaveURL(new RegExp(`a=${b}&b=${a}`));
    await expect(page.getByRole("region", { name: "/level.value", exact: true })).toContainText(
      "A 25   B 20   B − A −5",
    );
  });

  test("that cannot be compared say why @full", async ({ api, page, request, faults }) => {
    faults.expect(/status of (404|207)/);
    const device = await registerDevice(api);
    const a = await openCompared(api, request, "a", device);
    const stranger = createApi(request, await signUp(request));
    const foreign = await openCompared(stranger, request, "b", await registerDevice(stranger));
    await page.goto(`/recordings/compare?a=${a}&b=${foreign}`);
    await live(page);
    const second = page.getByRole("region", { name: "Recording B" });
    await expect(second).toContainText("Not found");
    await expect(second).not.toContainText("Bad run");

    const { uid: waiting } = await api.post<{ uid: string }>("/fleet/recordings/", {
      device_id: device.uid,
      name: unique(),
    });
    await page.goto(`/recordings/compare?a=${a}&b=${waiting}`);
    await expect(page.getByText("Recording B is still waiting for its files")).toBeVisible();
    await page.goto(`/recordings/compare?a=${a}&b=${a}`);
    await expect(page.getByText("A and B are the same recording.")).toBeVisible();
  });
});
