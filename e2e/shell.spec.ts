import { back, checkAxe, expect, live, registerDevice, signUp, test, unique, visitors } from "./fixtures";
import { recordingBytes, uploadRecording } from "./recording-files";

test("the theme is chosen once and kept, without a flash of the other", async ({ page }) => {
  await page.goto("/devices");
  await live(page);
  const html = page.locator("html");
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Light" }).click();
  await expect(html).toHaveAttribute("data-theme", "light");
  const light = await background();
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
  await expect(html).toHaveAttribute("data-theme", "dark");
  await expect.poll(background).not.toBe(light);
  const response = await page.reload();
  expect(await response?.text()).toContain('data-theme="dark"');
});

test("the theme follows the system until one is chosen", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/devices");
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(background).not.toBe(light);
});

test("after switching, only the devices of the chosen organization are shown", async ({ api, page, person }) => {
  await registerDevice(api, { name: "arm-of-the-first" });
  await page.goto("/devices");
  await live(page);
  await expect(page.getByRole("row", { name: /arm-of-the-first/ })).toBeVisible();

  const second = unique("Second");
  await page.getByRole("button", { name: `Organization: ${person.organizationName}` }).click();
  await page.getByRole("menuitem", { name: "New organization" }).click();
  await page.getByLabel("Name").fill(second);
  await page.getByRole("button", { name: "Create organization" }).click();
  await expect(page.getByRole("button", { name: `Organization: ${second}` })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Welcome to Muster" })).toBeVisible();
  await page.goto("/devices");
  await expect(page.getByRole("heading", { name: "No devices yet" })).toBeVisible();
  expect(await page.content()).not.toContain("arm-of-the-first");

  await live(page);
  await page.getByRole("button", { name: `Organization: ${second}` }).click();
  await page.getByRole("menuitemcheckbox", { name: person.organizationName }).click();
  await expect(page.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();
  await page.goto("/devices");
  await expect(page.getByRole("row", { name: /arm-of-the-first/ })).toBeVisible();
});

test("the palette finds pages, devices and actions, and the cheat sheet lists the keys", async ({ api, page }) => {
  const device = await registerDevice(api, { name: "arm-in-palette" });
  await page.goto("/devices");
  await live(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
  await page.keyboard.type("in-pal");
  await page.getByRole("option", { name: /arm-in-palette/ }).click();
  await expect(page).toHaveURL(new RegExp(device.uid));
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
  await page.keyboard.type("register");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Register device" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText("Next row");
});

test("the cheat sheet of a timeline shows every key as a cap, and each only once @full", async ({
  api,
  page,
  request,
}) => {
  const { uid } = await uploadRecording(api, request, { bytes: recordingBytes(50), device: "arm-04", name: "Run" });
  await page.goto(`/recordings/${uid}`);
  await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet.getByRole("definition").first()).toBeVisible();
  await expect(async () => {
    const keys = (await sheet.locator("dd").allTextContents()).map((text) => text.trim());
    expect(keys.filter((text) => text === "" || /arrow/i.test(text))).toEqual([]);
    expect(keys).toContain("+");
    expect(keys.filter((text) => text === "[")).toHaveLength(1);
  }).toPass({ timeout: 100_000 });
  await expect(sheet.getByRole("heading", { level: 3 }).last()).toHaveText("Anywhere");
  await checkAxe(page);
});

test("the beginning of a filter's name and Enter take that filter, other words are searched @full", async ({
  api,
  page,
}) => {
  await registerDevice(api, { name: "status-light" });
  await page.goto("/devices");
  await live(page);
  const box = page.getByRole("combobox", { name: "Filter devices" });
  await box.fill("firm");
  await page.keyboard.press("Enter");
  await expect(box).toHaveValue("firmware:");
  await expect(page).not.toHaveURL(/search=/);
  await box.fill("light");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/search=light/);
  await expect(page.getByRole("row", { name: /status-light/ })).toBeVisible();
});

test("a link followed without a connection says so inside the page, opens by itself afterwards, and loses nothing", async ({
  page,
  context,
  faults,
}) => {
  faults.expect(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  await page.goto("/rules/new");
  await live(page);
  await page.getByRole("textbox", { name: "Name" }).fill("Written before the cable was pulled");
  await context.setOffline(true);
  await page.getByRole("navigation").getByRole("link", { name: "Devices" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Leave", exact: true }).click();
  const notice = page.getByRole("region", { name: "Muster cannot be reached" });
  await expect(notice).toBeVisible();
  await checkAxe(page);
  await notice.getByRole("button", { name: "Stay on this page" }).click();
  await expect(notice).toBeHidden();
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Written before the cable was pulled");
  expect(new URL(page.url()).pathname).toBe("/rules/new");

  await page.getByRole("navigation").getByRole("link", { name: "Events" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Leave", exact: true }).click();
  await expect(notice).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { name: "Events", level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/events$/);
  await back(page);
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Written before the cable was pulled");
});

test("on a low screen the rail is scrolled to the page that is open @full", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 700 });
  await page.goto("/settings/audit");
  await live(page);
  const rail = page.getByRole("navigation", { name: "Main" });
  await expect(rail.getByRole("link", { name: "Audit" })).toBeInViewport({ ratio: 1 });
  await page.goto("/overview");
  await expect(rail.getByRole("link", { name: "Overview" })).toBeInViewport({ ratio: 1 });
});

test("on a phone the rail is a sheet behind a button @full", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/devices");
  await live(page);
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("link", { name: "Devices" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("times are shown in UTC or the browser's zone, as the person chose", async ({ api, page }) => {
  const device = await registerDevice(api, {});
  await page.goto(`/devices/${device.uid}?tab=timeline`);
  await live(page);
  const toggle = page.getByRole("button", { name: /Times in/ });
  if (/Local/.test((await toggle.textContent()) ?? "")) await toggle.click();
  await expect(page.getByText(/\d{2}:\d{2}:\d{2} UTC/)).toBeVisible();
  await page.reload();
  await expect(toggle).toHaveText(/UTC/);
});

visitors(
  "a wrong password and an unknown address are refused with the same message",
  async ({ page, request, faults }) => {
    faults.expect(/status of 401/);
    const person = await signUp(request);
    await page.goto("/login");
    for (const email of [person.email, "nobody@example.com"]) {
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill("a wrong password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "do not match" })).toBeVisible();
    }
  },
);

visitors("a form sent before its scripts run keeps the password out of the address", async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  for (const [path, button] of [
    ["/login", "Sign in"],
    ["/signup", "Create account"],
  ] as const) {
    await plain.goto(path);
    await plain.getByLabel("E-mail").fill("someone@example.com");
    await plain.getByLabel("Password").fill("not for the address");
    await plain.getByRole("button", { name: button }).click();
    await plain.waitForLoadState();
    expect(plain.url()).not.toContain("password");
    await expect(plain.getByRole("button", { name: button })).toBeVisible();
  }
  await context.close();
});
