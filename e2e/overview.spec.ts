import {
  checkAxe,
  expect,
  expectNoPageScroll,
  heartbeat,
  inEveryLook,
  live,
  raiseAlert,
  registerDevice,
  test,
  widths,
} from "./fixtures";
import { repeatDevice } from "./repeated-rows";

test("the overview's figures link to what they count, and its choices are kept in the address", async ({
  api,
  request,
  page,
}) => {
  const arm = await registerDevice(api, { name: "arm-01", type: "arm", tags: ["hall-1"] });
  await registerDevice(api, { name: "amr-01", type: "amr", metadata: { location: { lat: 53.5, lon: 10 } } });
  await heartbeat(request, arm);
  await page.goto("/");
  await expect(page).toHaveURL(/\/overview$/);
  await live(page);
  await expect(page.getByRole("link", { name: /1\s*Online/ })).toHaveAttribute("href", "/devices?status=online");
  await expect(page.getByRole("group", { name: /Devices by their location/ })).toBeVisible();
  await page.getByRole("radio", { name: "By tag" }).click();
  await expect(page).toHaveURL(/by=tag/);
  await expect(page.getByRole("list", { name: "hall-1" })).toBeVisible();
  await page.getByRole("button", { name: "Show as table" }).click();
  await expect(page.getByRole("region", { name: "Alerts over time as a table" })).toBeVisible();
});

test("the fleet's cells are reached and opened by keyboard", async ({ api, page }) => {
  await registerDevice(api, { name: "arm-01", type: "arm" });
  const second = await registerDevice(api, { name: "arm-02", type: "arm" });
  await page.goto("/overview");
  await live(page);
  await page.getByRole("link", { name: /^arm-01: offline/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("link", { name: /^arm-02: offline/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/devices/${second.uid}`);
});

test("the overview begins with what needs somebody now, and each line leads to it", async ({ api, page, request }) => {
  const arm = await registerDevice(api, { name: "arm-01", type: "arm" });
  await heartbeat(request, arm, { metrics: { battery: 0.12 } });
  const lost = await registerDevice(api, { name: "arm-lost", type: "arm" });
  const alert = await raiseAlert(page, "critical");
  await page.goto("/overview");
  await live(page);
  const needs = page.locator("section", { has: page.getByRole("heading", { name: "Needs you now" }) });
  await expect(needs.getByRole("link", { name: /arm-lost/ })).toHaveAttribute("href", `/devices/${lost.uid}`);
  await expect(needs.getByRole("link", { name: /critical/i })).toHaveAttribute("href", `/alerts/${alert}`);
  // Only the row of figures is above it.
  await expect(async () => {
    const sections = await page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents();
    expect(sections.indexOf("Needs you now")).toBeLessThan(sections.indexOf("Fleet"));
    expect((await needs.boundingBox())?.y).toBeLessThan(widths.desk.height / 2);
  }).toPass({ timeout: 10_000 });
  await expect(page.getByRole("link", { name: /^arm-01: online.*Battery 12 %, warning/ })).toBeVisible();
  await heartbeat(request, lost);
  await expect(needs.getByRole("link", { name: /arm-lost/ })).toHaveCount(0);
  await checkAxe(page);
  await needs.getByRole("link", { name: /critical/i }).click();
  await expect(page).toHaveURL(new RegExp(`/alerts/${alert}$`));
});

test("a large fleet is bars by type, each part a link to its devices", async ({ api, page }) => {
  await repeatDevice((await registerDevice(api, { type: "amr" })).uid, 199);
  await repeatDevice((await registerDevice(api, { type: "arm" })).uid, 1);
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("link", { name: "200 offline" })).toHaveAttribute(
      "href",
      "/devices?type=amr&status=offline",
    );
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  });
});

test("the map names its devices at a readable size on desktop and phone, apart where they are at one place", async ({
  api,
  page,
}) => {
  for (const [name, lon] of [
    ["press-01", 9.99],
    ["press-02", 9.99],
    ["press-03", 9.9],
  ] as const)
    await registerDevice(api, { name, metadata: { location: { lat: 53.55, lon } } });
  const map = page.getByRole("group", { name: /^Devices by their location/ });
  for (const size of [widths.desk, widths.phone]) {
    await page.setViewportSize(size);
    await page.goto("/overview");
    await live(page);
    await expect(map.getByRole("link")).toHaveCount(3);
    const marks = await map
      .locator("a > :is(path, circle)")
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ x, y }) => ({ x, y })));
    for (const [at, mark] of marks.entries())
      for (const other of marks.slice(at + 1))
        expect(Math.hypot(mark.x - other.x, mark.y - other.y)).toBeGreaterThan(10);
    const names = await map
      .locator("a > text")
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(names.length).toBeGreaterThan(1);
    expect(Math.min(...names)).toBeGreaterThan(10);
    await expectNoPageScroll(page);
  }
});

test("the overview is accessible in every theme and width", async ({ api, page }) => {
  await registerDevice(api, { name: "arm-01", type: "arm" });
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("heading", { name: "Fleet" })).toBeVisible();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  });
});
