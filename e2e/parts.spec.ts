import type { Page } from "@playwright/test";
import { openCameras, readColour, colourAt } from "./camera-recording";
import { expect, inEveryLook, live, raiseAlert, test, type Faults } from "./fixtures";
import { once, onlookers } from "./onlookers";

/** Parts of a page that do not come fail alone, and come with another try. */

const chunks = "**/_next/static/chunks/*.js";

/** What the browser itself says of requests that a test fails. */
function expectLost(faults: Faults): void {
  faults.expect(/Failed to load resource|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION/);
}

const front = once((api, request) => openCameras(api, request, ["/front"]));

/** Answers every script that the page asks for from now on as a server that was updated does. */
const update = (page: Page) => page.route(chunks, (route) => route.fulfill({ status: 404, body: "Not found" }));

test("a part that is gone after an update says so, and a reload keeps what was typed", async ({
  page,
  person,
  faults,
}) => {
  expectLost(faults);
  const uid = await raiseAlert(page);
  await page.goto(`/alerts/${uid}`);
  await live(page);
  await page.getByRole("textbox", { name: "Comment" }).fill("The gearbox is loud since Monday");
  await update(page);
  await page.getByRole("banner").getByRole("button", { name: person.organizationName }).click();
  await page.getByRole("menuitem", { name: "New organization" }).click();

  const dialog = page.getByRole("dialog", { name: "This could not be opened" });
  await expect(dialog).toContainText("Muster was updated");
  await dialog.getByRole("button", { name: "Close" }).click();
  // The page goes on, and offers the reload.
  const strip = page.getByRole("status").filter({ hasText: "Muster was updated." });
  await expect(strip).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("The gearbox is loud since Monday");
  await page.unroute(chunks);
  await strip.getByRole("button", { name: "Reload" }).click();
  await expect(strip).toBeHidden();
  await live(page);
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("The gearbox is loud since Monday");
  // As React knows it, too: an empty comment could not be sent.
  await page.getByRole("button", { name: "Comment" }).click();
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("");
  await expect(page.getByText("The gearbox is loud since Monday")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("");
});

onlookers(
  "a part that is wanted without a connection is tried again once there is one, and the page keeps its state",
  async ({ page, faults }) => {
    expectLost(faults);
    await page.goto("/rules/new");
    await live(page);
    await page.getByRole("textbox", { name: "Name" }).fill("Gearbox too hot");
    // The browser may have the script already: it is asked for where answers can be refused.
    await page.route(chunks, (route) => route.abort("internetdisconnected"));
    await page.context().setOffline(true);
    await page.getByRole("tab", { name: "JSON" }).click();
    const box = page.getByRole("alert").filter({ hasText: "This part could not be loaded." });
    await expect(box).toBeVisible();

    // Still without: the button says so again instead of doing nothing.
    const again = box.getByRole("button", { name: "Try again" });
    await again.click();
    await expect(again).toHaveAttribute("aria-busy", "true");
    await expect(again).not.toHaveAttribute("aria-busy");
    await page.context().setOffline(false);
    await page.unroute(chunks);
    await again.click();
    await expect(page.getByRole("textbox", { name: "Rule as JSON" })).toBeVisible();
    await expect(box).toBeHidden();
    await page.getByRole("tab", { name: "Form" }).click();
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Gearbox too hot");
  },
);

onlookers("a part that comes slowly holds nothing else back @full", async ({ page }) => {
  await page.goto("/rules/new");
  await live(page);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(chunks, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("tab", { name: "Form" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Slow lines");
  await page.getByRole("tab", { name: "JSON" }).click();
  await expect(page.getByRole("textbox", { name: "Rule as JSON" })).toHaveCount(0);
  release();
  await expect(page.getByRole("textbox", { name: "Rule as JSON" })).toBeVisible();
  await page.getByRole("tab", { name: "Form" }).click();
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Slow lines");
});

onlookers("the box of a missing part is readable in every look @full", async ({ page, faults }) => {
  expectLost(faults);
  await page.goto("/sql");
  await expect(page.locator(".cm-content")).toBeVisible();
  const part = await page.evaluate(async () => {
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    for (const script of loaded.filter((name) => name.includes("/_next/static/chunks/")))
      if ((await (await fetch(script, { cache: "force-cache" })).text()).includes("cm-lineWrapping")) return script;
    return "";
  });
  expect(part).not.toBe("");
  await page.route(part, (route) => route.abort());
  await inEveryLook(page, async () => {
    await page.goto("/sql");
    await live(page);
    await expect(page.getByRole("alert").filter({ hasText: "This part could not be loaded." })).toBeVisible();
  });
});

onlookers(
  "a recording whose thread is missing says so in its panels, and comes with another try",
  async ({ page, faults }) => {
    expectLost(faults);
    const uid = await front();
    const threads = "**/engine/recording.worker-*.js";
    await page.route(threads, (route) => route.fulfill({ status: 404, body: "Not found" }));
    await page.goto(`/recordings/${uid}`);
    await live(page);
    const panel = page.getByRole("figure", { name: "/front" });
    await expect(panel).toContainText("A part of this page could not be loaded.");
    await expect(page.getByRole("status").filter({ hasText: "Muster was updated." })).toBeVisible();
    await page.unroute(threads);
    await panel.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(0));
  },
);

onlookers(
  "a page whose scripts do not come leaves the frame as it is, and comes with another try @full",
  async ({ page, faults }) => {
    expectLost(faults);
    faults.expect(/ChunkLoadError/);
    await page.goto("/overview");
    await live(page);
    await update(page);
    const rail = page.getByRole("navigation", { name: "Main" });
    await rail.getByRole("link", { name: "Webhooks" }).click();
    await expect(page.getByRole("heading", { name: "This page failed" })).toBeVisible();
    await expect(page.getByText(/^ChunkLoadError: .*chunks/)).toBeVisible();
    await expect(rail).toBeVisible();
    await page.unroute(chunks);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Webhooks", level: 1 })).toBeVisible();
  },
);
