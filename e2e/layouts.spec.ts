import type { Locator, Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { colourAt, openCameras, cameras, readColour, start } from "./camera-recording";
import { checkAxe, expect, inEveryLook, live, ownPage, reload, test, widths } from "./fixtures";
import { openAsMember } from "./members";
import { onlookers } from "./onlookers";

const panels = (page: Page) => page.getByRole("region", { name: "Panels" });
const panel = (page: Page, name: string | RegExp) => panels(page).getByRole("group", { name });
const all = (page: Page) => panel(page, /^Panel \d/);
const width = async (page: Page, name: string | RegExp): Promise<number> =>
  (await panel(page, name).boundingBox())?.width ?? 0;
const layouts = (page: Page) => page.getByRole("dialog", { name: "Layouts" });

async function open(page: Page, uid: string, query = ""): Promise<void> {
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_050_000_000n)}${query}`);
  await live(page);
  await expect(panels(page)).toBeVisible();
}

/** Drags to a place within an element, given as parts of its size. */
async function dragTo(page: Page, from: Locator, to: Locator, across: number, along: number): Promise<void> {
  await from.hover();
  await page.mouse.down();
  const { x, y, width, height } = (await to.boundingBox())!;
  await page.mouse.move(x + width * across, y + height * along, { steps: 4 });
  await expect(page.locator("[data-drop]")).toBeVisible();
  await page.mouse.up();
}

/** Chooses what a panel shows, in the dialog that asks for it. */
const choose = (page: Page, section: string, name: string) =>
  page
    .getByRole("dialog", { name: "What to show" })
    .getByRole("region", { name: section })
    .getByRole("button", { name, exact: true })
    .click();

onlookers(
  "panels are split, resized, moved, shown alone and closed by keys, and steps are undone",
  async ({ page }) => {
    const uid = await cameras();
    await open(page, uid);
    await expect(all(page)).toHaveCount(4);

    await page.keyboard.press("Alt+2");
    await expect(panel(page, "Panel 2: Camera /front")).toBeFocused();
    await page.keyboard.press("\\");
    await choose(page, "Log", "Log");
    const log = panel(page, "Panel 3: Log");
    await expect(log).toBeFocused();
    await expect(log.getByRole("list", { name: "Log lines" })).toBeVisible();
    // What was split keeps showing; a panel beside it was not opened again.
    await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));

    const before = await width(page, "Panel 3: Log");
    await page.keyboard.press("Alt+ArrowLeft");
    await expect.poll(() => width(page, "Panel 3: Log")).toBeGreaterThan(before + 10);
    await page.keyboard.press("Alt+Shift+ArrowLeft");
    await expect(panel(page, "Panel 2: Log")).toBeFocused();

    await page.keyboard.press("f");
    await expect(all(page)).toHaveCount(1);
    await expect(page.getByRole("region", { name: "What happened" })).toBeHidden();
    await page.keyboard.press("Escape");
    await expect(all(page)).toHaveCount(5);

    await panel(page, "Panel 2: Log").focus();
    await page.keyboard.press("w");
    await expect(all(page)).toHaveCount(4);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect(panel(page, "Panel 2: Log")).toBeVisible();

    await page.keyboard.press("F6");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("F6");
    await page.keyboard.press("Control+z");
    await expect(all(page).first()).toBeVisible();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(sheet).toContainText("Split below");
    await expect(sheet).toContainText("Layouts");
  },
);

onlookers("panels have most of the page, more of it alone, and what opens beside them stays open", async ({ page }) => {
  const uid = await cameras();
  const share = () =>
    page.evaluate(() => {
      const main = document.querySelector("main")?.getBoundingClientRect();
      const boxes = [...document.querySelectorAll("[data-panel-of]")].map((each) => each.getBoundingClientRect());
      const size = (from: "left" | "top", to: "right" | "bottom") =>
        Math.max(...boxes.map((box) => box[to])) - Math.min(...boxes.map((box) => box[from]));
      return { width: size("left", "right") / (main?.width ?? 0), height: size("top", "bottom") / (main?.height ?? 0) };
    });
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize(viewport);
    await open(page, uid);
    await expect(all(page)).toHaveCount(4);
    await expect.poll(async () => (await share()).height).toBeGreaterThanOrEqual(0.65);
    expect((await share()).width).toBeGreaterThanOrEqual(0.7);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("Shift+F");
  await expect.poll(async () => (await share()).height).toBeGreaterThan(0.85);
  await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
  await expect(page.getByRole("region", { name: "What happened" })).toBeHidden();
  // Neither the bar of the layout nor what the panels cover can be reached.
  await expect(page.getByRole("button", { name: "Add a panel" })).toHaveCount(0);
  const unreachable = page.locator("[inert]").getByRole("navigation", { name: "Breadcrumb" });
  await expect(unreachable).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(unreachable).toHaveCount(0);
  await expect(page.getByRole("region", { name: "What happened" })).toBeVisible();

  const beside = page.getByRole("tablist", { name: "About this moment" });
  const topics = page.getByRole("region", { name: "Topics over time" });
  await expect(beside).toBeHidden();
  await expect(topics).toBeHidden();
  await page.keyboard.press("]");
  await expect(beside).toBeVisible();
  await page.keyboard.press("t");
  await expect(topics).toBeVisible();
  await reload(page);
  await expect(beside).toBeVisible();
  await expect(topics).toBeVisible();
  await checkAxe(page);
  await page.keyboard.press("]");
  await page.keyboard.press("t");
  await expect(beside).toBeHidden();
  await expect(topics).toBeHidden();
});

onlookers(
  "panels are dragged to other places; separators follow the arrow keys, also that between panels and lanes @full",
  async ({ page }) => {
    const uid = await cameras();
    await open(page, uid);
    const between = page.getByRole("separator", { name: "Border of panel 2" });
    const before = await width(page, /^Panel 1:/);
    await between.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => width(page, /^Panel 1:/)).toBeGreaterThan(before + 10);

    // Into the place of another as a tab, and out of it again, beside all others.
    const front = panel(page, /Camera \/front$/);
    await dragTo(page, front.getByTitle("Drag to another place"), panel(page, /Camera \/left$/), 0.5, 0.5);
    const tabs = panels(page).getByRole("tablist", { name: "Panels in one place" });
    await expect(tabs.getByRole("tab")).toHaveText(["/left", "/front"]);
    await expect(front).toBeVisible();
    await dragTo(page, tabs.getByRole("tab", { name: "/front" }), all(page).first(), 0.01, 0.5);
    await expect(panel(page, "Panel 1: Camera /front")).toBeVisible();
    await expect(tabs).toHaveCount(0);
    await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));
    const area = page.getByRole("separator", { name: "Border between panels and lanes" });
    const height = async () => (await panels(page).boundingBox())?.height ?? 0;
    const whole = await height();
    await area.focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(height).toBeLessThan(whole - 10);
    const smaller = await height();
    await reload(page);
    await expect.poll(height).toBeCloseTo(smaller, 0);
  },
);

test("a layout is saved, opens again for devices of the type, and is left for the suggested one", async ({
  page,
  api,
  request,
}) => {
  const uid = await openCameras(api, request);
  await open(page, uid);
  await page.getByRole("button", { name: "Add a panel" }).click();
  await choose(page, "Message", "/rosout");
  await expect(panel(page, "Panel 5: Message /rosout")).toBeVisible();
  await page.keyboard.press("Shift+L");
  await layouts(page).getByRole("button", { name: "Save as" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("With messages");
  await page.getByRole("button", { name: "Save layout" }).click();
  await expect(page.getByRole("button", { name: "Layout With messages", exact: true })).toBeVisible();

  // Without anything in the address it is the one that this person had open last.
  await open(page, uid);
  await expect(panel(page, "Panel 5: Message /rosout")).toBeVisible();
  await panel(page, "Panel 5: Message /rosout").focus();
  await page.keyboard.press("w");
  const changed = page.getByRole("button", { name: "Layout With messages, with changes that are not saved" });
  await changed.click();
  await layouts(page).getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved layout With messages")).toBeVisible();
  await open(page, uid);
  await expect(all(page)).toHaveCount(4);

  await page.getByRole("button", { name: "Layout With messages", exact: true }).click();
  await layouts(page).getByRole("button", { name: "Suggested for this recording" }).click();
  await expect(page.getByRole("button", { name: "Layout Suggested", exact: true })).toBeVisible();
  await open(page, uid);
  await expect(page.getByRole("button", { name: "Layout Suggested", exact: true })).toBeVisible();
});

test("an admin's default opens for every member, a link shows its changes to others, and a missing topic keeps its place @full", async ({
  page,
  api,
  request,
  browser,
}) => {
  const uid = await openCameras(api, request);
  const other = await openCameras(api, request, ["/front", "/rosout"]);
  await open(page, uid);
  await page.getByRole("button", { name: "Panel /left" }).click();
  await page.getByRole("menuitem", { name: "Close" }).click();
  await page.getByRole("button", { name: /^Layout Suggested/ }).click();
  await layouts(page).getByRole("button", { name: "Save as" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Three cameras");
  await page.getByRole("radio", { name: "Everyone in the organization" }).click();
  await page.getByRole("button", { name: "Save layout" }).click();
  await page.getByRole("button", { name: "Layout Three cameras", exact: true }).click();
  await layouts(page).getByRole("button", { name: "Actions for layout Three cameras" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Default for all devices" }).click();
  await expect(layouts(page).getByText("Default", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");

  const theirs = await openAsMember(browser, request, api);
  await open(theirs, uid);
  await expect(theirs.getByRole("button", { name: "Layout Three cameras", exact: true })).toBeVisible();
  await expect(all(theirs)).toHaveCount(3);

  // A recording without the topics of a layout says so in their places.
  await open(theirs, other);
  await expect(panel(theirs, /\/broken$/)).toContainText("This recording has no /broken");
  await panel(theirs, /\/broken$/)
    .getByRole("button", { name: "Show /front" })
    .click();
  await expect(panels(theirs).getByRole("figure", { name: "/front" })).toHaveCount(2);

  // What is not saved is in the address.
  await page.getByRole("button", { name: "Panel /late" }).click();
  await page.getByRole("menuitem", { name: "Split below" }).click();
  await choose(page, "Log", "Log");
  const log = panel(page, /: Log$/);
  await log.getByRole("button", { name: "Filter lines" }).click();
  await log.getByRole("textbox", { name: "Find in log lines" }).fill("failed");
  await expect.poll(() => page.url()).toContain("failed");
  await theirs.goto(page.url());
  await expect(panel(theirs, /: Log$/).getByRole("textbox", { name: "Find in log lines" })).toHaveValue("failed");
  await expect(all(theirs)).toHaveCount(4);
  await theirs.context().close();
});

test("many layouts are searched by their names @full", async ({ page, api, request }) => {
  const uid = await openCameras(api, request);
  for (let n = 1; n <= 9; n++) {
    const data = { name: `Shift ${n}`, tree: { v: 1, root: null, panels: {} } };
    const made = await page.request.post("/api/trpc/layouts.create", { data, headers: ownPage });
    expect(made.ok()).toBe(true);
  }
  await open(page, uid);
  await page.keyboard.press("Shift+L");
  await expect(layouts(page).getByRole("button", { name: /^Shift \d$/ })).toHaveCount(9);
  await layouts(page).getByRole("textbox", { name: "Find a layout" }).fill("shift 7");
  await expect(layouts(page).getByRole("button", { name: /^Shift \d$/ })).toHaveText(["Shift 7"]);
});

onlookers("a phone shows one panel at a time and changes none", async ({ page }) => {
  const uid = await cameras();
  await page.setViewportSize(widths.phone);
  await open(page, uid);
  await expect(all(page)).toHaveCount(1);
  await expect(panels(page).getByRole("button", { name: "Add a panel" })).toHaveCount(0);
  await page.getByRole("button", { name: "Next panel" }).click();
  await expect(panel(page, "Panel 2: Camera /front")).toBeVisible();
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));
  // The head of the page leaves its room to what is below.
  await expect(page.getByRole("heading", { name: "Cameras" })).toBeInViewport();
  await page.getByRole("button", { name: "Topics and plots" }).click();
  await page.getByRole("region", { name: "Message density of topics" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("heading", { name: "Cameras" })).not.toBeInViewport();
});

onlookers(
  "a panel that is low or narrow keeps what it says from its first word, and its menu @full",
  async ({ page }) => {
    const uid = await cameras();
    const low = (panel: string) => ({ panel });
    const tree = {
      v: 1,
      root: {
        dir: "row",
        sizes: [12, 12, 76],
        items: [
          low("p1"),
          low("p2"),
          { dir: "col", sizes: [25, 25, 25, 25], items: ["p3", "p4", "p5", "p6"].map(low) },
        ],
      },
      panels: Object.fromEntries(
        ["/front", "/late", "/gone", "/left", "/front", "/left"].map((topic, at) => [
          `p${at + 1}`,
          { type: "image", config: { topic } },
        ]),
      ),
    };
    await page.setViewportSize(widths.desk);
    await open(page, uid, `&tab=details&tree=${encodeURIComponent(JSON.stringify(tree))}`);
    await expect(panel(page, /\/gone$/).getByText("This recording has no /gone")).toBeInViewport({ ratio: 1 });
    const late = panel(page, "Panel 2: Camera /late");
    const text = late.getByText(/^First message of \/late/);
    await expect(text).toBeInViewport({ ratio: 1 });
    const [outer, inner] = [(await late.boundingBox())!, (await text.boundingBox())!];
    expect(outer.width).toBeLessThan(120);
    expect(inner.x).toBeGreaterThanOrEqual(outer.x);
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    await late.getByRole("button", { name: "Panel /late" }).click();
    await page.getByRole("menuitem", { name: "Full screen" }).click();
    await expect(all(page)).toHaveCount(1);
  },
);

onlookers("is accessible with every type of panel, in both themes, on desktop and phone", async ({ page }) => {
  const uid = await cameras();
  const tree = {
    v: 1,
    root: {
      dir: "row",
      sizes: [40, 30, 30],
      items: [
        { tabs: ["p1", "p2"], active: "p1" },
        { dir: "col", sizes: [50, 50], items: [{ panel: "p3" }, { panel: "p4" }] },
        { dir: "col", sizes: [40, 30, 30], items: [{ panel: "p5" }, { panel: "p6" }, { panel: "p7" }] },
      ],
    },
    panels: {
      p1: { type: "log", config: { level: "debug", search: "" } },
      p2: { type: "image", config: { topic: "/front" } },
      p3: { type: "raw", config: { topic: "/rosout" } },
      p4: { type: "image", config: { topic: "/gone" } },
      p5: { type: "plot", config: { series: ["/rosout.level"] } },
      p6: { type: "states", config: { search: "" } },
      p7: { type: "table", config: { topic: "/rosout", rows: "latest" } },
    },
  };
  await inEveryLook(page, async () => {
    await open(page, uid, `&tree=${encodeURIComponent(JSON.stringify(tree))}`);
    await expect(panels(page).getByRole("list", { name: "Log lines" })).toBeVisible();
    if (page.viewportSize()?.width !== widths.desk.width) return;
    await expect(panel(page, "Panel 6: States")).toBeVisible();
    await expect(panel(page, "Panel 7: Table /rosout")).toContainText("Value");
  });
  await checkAxe(page);
});
