import type { Page, Route } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { colourAt, cameras, pictures, readColour, start } from "./camera-recording";
import { checkAxe, expect, live, lookFirst } from "./fixtures";
import { onlookers as test } from "./onlookers";

const section = (page: Page) => page.getByRole("region", { name: "Panels" });

test("every camera shows its picture of the playhead, raw or compressed, from any encoding, in every look", async ({
  page,
}) => {
  const uid = await cameras();
  await lookFirst(
    page,
    async () => {
      await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_050_000_000n)}`);
      await expect(section(page).getByRole("figure").first()).toBeVisible();
      await live(page);
      // A phone shows one panel at a time.
      const next = page.getByRole("button", { name: "Next panel" });
      if (await next.isVisible()) await next.click();
      await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));
    },
    () => checkAxe(page),
  );
  await expect(section(page).getByRole("figure")).toHaveCount(4);
  for (const topic of ["/front", "/left"]) await expect.poll(() => readColour(page, topic)).toEqual(colourAt(10));
  await expect(
    page.getByRole("figure", { name: "/front" }).getByRole("img", { name: /2026-02-02T02:40:01.*8 × 6 pixels/ }),
  ).toBeVisible();

  await expect(page.getByRole("figure", { name: "/front" })).toContainText("stamp not set");

  // A message that says more than it carries does not stop the others.
  await expect(page.getByRole("figure", { name: "/broken" })).toContainText(
    "The message says 8 × 1000 rgb8 (24,000 bytes) but carries 144.",
  );
  await expect(page.getByRole("figure", { name: "/late" })).toContainText(
    /First message of \/late at 02:40:03\.\d{3} \(in \d\.\d s\)/,
  );

  // Just before its first picture that one is seen, dimmed.
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 2_500_000_000n)}`);
  const early = page.getByRole("figure", { name: "/late" });
  await expect(early).toContainText("in 500 ms");
  await expect(early.locator("[style*=filter]")).toHaveCSS("opacity", "0.5");
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_000_000_000n)}`);

  await page.getByRole("figure", { name: "/late" }).getByRole("button", { name: "Go to it" }).click();
  for (const topic of ["/front", "/late"]) await expect.poll(() => readColour(page, topic)).toEqual(colourAt(30));

  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 4_000_000_000n)}`);
  for (const topic of ["/front", "/left", "/late"])
    await expect.poll(() => readColour(page, topic)).toEqual(colourAt(40));
});

test("pictures follow the playhead while the recording plays, and rest where it is stopped", async ({ page }) => {
  const uid = await cameras();
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start)}`);
  await live(page);
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(0));
  // So slowly that any machine sees some of them.
  for (let step = 0; step < 3; step++) await page.keyboard.press("<");
  await page.keyboard.press("Space");
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        seen.add(String(await readColour(page, "/front")));
        return seen.size;
      },
      { intervals: [50] },
    )
    .toBeGreaterThan(5);
  for (let step = 0; step < 6; step++) await page.keyboard.press(">");
  // Played to its end, it shows its last picture.
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(pictures - 1));
  await expect.poll(() => readColour(page, "/left")).toEqual(colourAt(pictures - 1));
});

test("the playhead waits for late bytes, says so, and goes on when they are there", async ({ page }) => {
  const uid = await cameras();
  let isLate = false;
  const late: Route[] = [];
  await page.route(`**/media/recordings/${uid}/**`, async (route) => {
    if (isLate) late.push(route);
    else await route.continue();
  });
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start)}`);
  await live(page);
  for (const topic of ["/front", "/left"]) await expect.poll(() => readColour(page, topic)).toEqual(colourAt(0));
  isLate = true;
  await page.keyboard.press("Space");
  const status = page.getByRole("status", { name: "Loading of the recording" });
  await expect(status).toHaveText(/^Loading/);
  const moments = await page.getByRole("slider", { name: "Playhead" }).evaluate(async (head) => {
    const before = head.getAttribute("aria-valuenow");
    for (let frame = 0; frame < 20; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return [before, head.getAttribute("aria-valuenow")];
  });
  expect(moments[1]).toBe(moments[0]);
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();

  isLate = false;
  for (const route of late.splice(0)) await route.continue();
  await expect(status).toBeEmpty();
  for (const topic of ["/front", "/left"])
    await expect.poll(() => readColour(page, topic)).toEqual(colourAt(pictures - 1));
});

test("pictures rest while the page is hidden @full", async ({ page }) => {
  const uid = await cameras();
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start)}`);
  await live(page);
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(0));
  // As a browser does with a tab in the background: no frames, and an event.
  await page.evaluate(() => {
    window.requestAnimationFrame = () => 0;
    Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  });
  await page.keyboard.press("Space");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(page.getByRole("button", { name: /^Pause/ })).toBeVisible();
  for (let look = 0; look < 60; look++) expect(await readColour(page, "/front")).toEqual(colourAt(0));
});

test("the log stands beside, follows the playhead, is searched, and leads to its moments", async ({ page }) => {
  const uid = await cameras();
  await page.goto(`/recordings/${uid}?t=${isoFromNs(start + 1_250_000_000n)}&tab=log`);
  await live(page);
  const lines = page.getByRole("list", { name: "Log lines" });
  await expect(lines.getByRole("listitem")).toHaveCount(pictures);
  await expect(lines.locator("[aria-current=true]")).toContainText("motor: cycle 12");
  await page.getByRole("textbox", { name: "Find in log lines" }).fill("failed");
  await expect(lines.getByRole("listitem")).toHaveCount(5);
  await expect(page.getByText("5 lines between")).toBeVisible();
  await page.getByRole("textbox", { name: "Find in log lines" }).fill("");
  await page.getByRole("combobox", { name: "Levels shown" }).click();
  await page.getByRole("option", { name: "error and above" }).click();
  await expect(lines.getByRole("listitem")).toHaveText([0, 10, 20, 30, 40].map((n) => new RegExp(`cycle ${n} failed`)));
  await lines.getByRole("button", { name: /cycle 40 failed/ }).click();
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(40));
  await expect(lines.locator("[aria-current=true]")).toContainText("cycle 40 failed");
});

test("its thread and its pack are asked for once, before the page's own scripts", async ({ page }) => {
  const uid = await cameras();
  const asked: string[] = [];
  page.on("request", (sent) => asked.push(new URL(sent.url()).pathname));
  // The tab has a script of its own, which the page's scripts ask for.
  await page.goto(`/recordings/${uid}?tab=details&t=${isoFromNs(start + 1_050_000_000n)}`);
  await expect.poll(() => readColour(page, "/front")).toEqual(colourAt(10));
  await expect(page.getByRole("tabpanel", { name: "Details" })).toContainText("Format");
  const places = (wanted: RegExp) => asked.flatMap((path, place) => (wanted.test(path) ? [place] : []));
  const [pack, thread] = [places(/openPack/), places(/recording\.worker/)];
  expect([pack.length, thread.length]).toEqual([1, 1]);
  const scripts = places(/_next\/static\/chunks\/.*\.js/);
  expect(scripts.at(-1)).toBeGreaterThan(Math.max(...pack, ...thread));
  expect(page.workers().filter((worker) => worker.url().includes("recording.worker"))).toHaveLength(1);
});
