import {
  checkAxe,
  expect,
  expectNoPageScroll,
  heartbeat,
  inEveryLook,
  live,
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
  await page.getByRole("radio", { name: "24 h" }).click();
  await expect(page).toHaveURL(/range=24h/);
  await page.getByRole("button", { name: "Show as table" }).click();
  await expect(page.getByRole("region", { name: "Alerts over time as a table" })).toBeVisible();
});

test("the overview begins with the robots that need somebody, and each line leads to its robot", async ({
  api,
  page,
  request,
}) => {
  const arm = await registerDevice(api, { name: "arm-01", type: "arm" });
  await heartbeat(request, arm, { metrics: { battery: 0.12 } });
  const lost = await registerDevice(api, { name: "arm-lost", type: "arm" });
  await page.goto("/overview");
  await live(page);
  const robots = page.getByRole("list", { name: "Robots that need somebody" }).getByRole("listitem");
  const lostRow = robots.filter({ hasText: "arm-lost" });
  await expect(lostRow.getByRole("link", { name: "arm-lost" })).toHaveAttribute("href", `/devices/${lost.uid}`);
  await expect(robots.filter({ hasText: "arm-01" }).getByTitle("Battery: 12 %, warning")).toBeVisible();
  await expect(page.getByText(/^\d+ fine/)).toHaveCount(0);
  await heartbeat(request, lost);
  await expect(lostRow).toHaveCount(0);
  await expect(page.getByText("1 fine", { exact: true })).toBeVisible();
  await checkAxe(page);
  await robots.getByRole("link", { name: "arm-01" }).click();
  await page.waitForURL(`**/devices/${arm.uid}`);
});

test("a large fleet is a bar for each group, which opens to its robots", async ({ api, page }) => {
  await repeatDevice((await registerDevice(api, { type: "amr" })).uid, 60);
  await api.post("/fleet/groups/", {
    name: "Hall 1",
    device_ids: [(await registerDevice(api, { name: "arm-01" })).uid],
  });
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("button", { name: /In no group\s*61/ })).toContainText("61 offline");
    await page.getByRole("button", { name: /Hall 1/ }).click();
    await expect(page.getByRole("link", { name: "arm-01", exact: true })).toBeVisible();
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
