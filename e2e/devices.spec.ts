import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  back,
  expect,
  heartbeat,
  inEveryLook,
  live,
  lookAround,
  registerDevice,
  test,
  unique,
  visitors,
  reload,
  widths,
} from "./fixtures";
import { repeatDevice } from "./repeated-rows";

const run = promisify(execFile);

visitors(
  "a new person signs up, registers a device, and sees its first heartbeat arrive without a reload",
  async ({ page }) => {
    await page.goto("/signup");
    await page.getByLabel("E-mail").fill(`${unique("new")}@example.com`);
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByLabel("Organization").fill("Harbour robots");
    await page.getByRole("button", { name: "Create account" }).click();
    // The first request to this server loads its modules.
    await page.waitForURL("**/overview");
    await page.goto("/devices");
    await expect(page.getByRole("heading", { name: "No devices yet" })).toBeVisible();
    await live(page);
    await page.getByRole("button", { name: "Register device" }).click();
    await page.getByLabel("Name").fill("arm-04");
    await page.getByLabel("Type").fill("manipulator");
    await page.getByLabel("Tags").fill("hall-2,");
    await page.getByRole("button", { name: "Add a value" }).click();
    await lookAround(page);
    await page.getByLabel("Key of value 1").fill("site");
    await page.getByLabel("Value of site").fill("berlin");
    await page.getByRole("button", { name: "Register", exact: true }).click();

    const dialog = page.getByRole("dialog", { name: "arm-04 is registered" });
    await expect(dialog.getByText("Waiting for first heartbeat…")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await expect(dialog).toBeVisible();
    await lookAround(page);

    // The command from the dialog, run by a shell.
    const command = (await dialog.getByLabel("curl heartbeat", { exact: true }).locator("code").textContent()) ?? "";
    expect(command).toContain(new URL(page.url()).origin);
    let loads = 0;
    page.on("load", () => loads++);
    await run("/bin/sh", ["-c", command.replace("curl ", "curl -fsS ")]);
    await expect(dialog.getByText("arm-04 is online")).toBeVisible();
    expect(loads).toBe(0);

    await expect(dialog.getByRole("button", { name: "Done" })).toBeDisabled();
    await dialog.getByRole("checkbox", { name: "I stored it" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("row", { name: /arm-04.*Online/ })).toBeVisible();
    await reload(page);
    await expect(page.getByRole("row", { name: /arm-04.*Online.*manipulator.*hall-2.*1\.0\.0/ })).toBeVisible();
  },
);

test("the token is offered as a file and never shown again", async ({ page }) => {
  await page.goto("/devices?register=1");
  await live(page);
  await page.getByLabel("Name").fill("Arm 7 (left)");
  await page.getByRole("button", { name: "Register", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download arm-7-left.env" }).click();
  const file = await (await download).createReadStream();
  const text = (await file.toArray()).join("");
  const token = (await page.getByLabel("Device token", { exact: true }).textContent()) ?? "";
  expect(text).toBe(`MUSTER_URL=${new URL(page.url()).origin}\nMUSTER_DEVICE_TOKEN=${token}\n`);
  await page.getByRole("checkbox", { name: "I stored it" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.goto("/devices?register=1");
  await expect(page.getByLabel("Name")).toHaveValue("");
  expect(await page.content()).not.toContain(token);
});

test("a rotated token is shown once and the old one stops working", async ({ api, request, page }) => {
  const device = await registerDevice(api, { name: "arm-01" });
  await page.goto("/devices");
  await live(page);
  await page.getByRole("row", { name: /arm-01/ }).hover();
  await page.getByRole("button", { name: "Actions for arm-01" }).click();
  await page.getByRole("menuitem", { name: "Rotate token" }).click();
  await page.getByRole("button", { name: "Rotate token" }).click();
  const token = (await page.getByLabel("Device token", { exact: true }).textContent()) ?? "";
  await heartbeat(request, { device_token: token });
  await expect(heartbeat(request, device)).rejects.toThrow(/401/);
  await page.getByRole("checkbox", { name: "I stored it" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the first frame already has the rows, before any script runs", async ({ api, page, browser }) => {
  await registerDevice(api, { name: "arm-first-frame" });
  const context = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  const plain = await context.newPage();
  await plain.goto("/devices");
  await expect(plain.getByRole("row", { name: /arm-first-frame/ })).toBeVisible();
  await context.close();
});

test("filters, the open drawer and the tab are kept in the address, through reload and Back", async ({
  api,
  request,
  page,
}) => {
  const arm = await registerDevice(api, {
    name: "arm-01",
    type: "manipulator",
    tags: ["blue", "hall-1", "lab", "night"],
    metadata: { site: "berlin", slots: 4 },
  });
  await heartbeat(request, arm, { firmware_version: "1.4.0", metrics: { battery: 0.87 } });
  const name = "a drone with quite a long name that does not fit";
  const drone = await registerDevice(api, { name, type: "drone", tags: ["blue"] });
  await api.patch(`/fleet/devices/${drone.uid}/`, { status: "maintenance" });
  await inEveryLook(page, async () => {
    await page.goto("/devices");
    await expect(page.getByRole("row", { name: /arm-01/ })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  const box = page.getByRole("combobox", { name: "Filter devices" });
  const rows = page.getByRole("table", { name: "Devices" }).getByRole("row");
  await expect(rows).toHaveCount(3);

  await box.fill("tags:hall-1");
  await box.press("Enter");
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/\?tags=hall-1$/);
  await box.fill("metadata:site=berlin");
  await box.press("Enter");
  await box.fill("metadata:slots=4");
  await box.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("metadata")).toBe('{"site":"berlin","slots":4}');
  await expect(rows).toHaveCount(2);
  await page.getByRole("row", { name: /arm-01/ }).click();
  await expect(page.getByRole("dialog", { name: "arm-01" })).toBeVisible();
  await expect.poll(() => new URL(page.url()).searchParams.get("selected")).toBe(arm.uid);

  await inEveryLook(page, async () => {
    await reload(page);
    await expect(page.getByRole("dialog", { name: "arm-01" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await expect(page.getByRole("button", { name: "Remove filter Metadata: site=berlin" })).toBeVisible();
  await expect(rows).toHaveCount(2);

  await live(page);
  await back(page);
  await expect(page.getByRole("dialog", { name: "arm-01" })).toBeHidden();
  await back(page);
  await back(page);
  await expect(page).toHaveURL(/\?tags=hall-1$/);
  await back(page);
  await expect(rows).toHaveCount(3);

  await page.goto(`/devices/${arm.uid}`);
  await page.getByRole("tab", { name: "Activity" }).click();
  await expect(page).toHaveURL(/\?tab=activity$/);
  await expect(page.getByRole("row", { name: /Registered/ })).toBeVisible();
  await reload(page);
  await expect(page.getByRole("tab", { name: "Activity" })).toHaveAttribute("aria-selected", "true");
  await back(page);
  await expect(page.getByRole("tab", { name: "Now" })).toHaveAttribute("aria-selected", "true");
});

test("an empty result names the filter to remove, and one press clears all filters @full", async ({ api, page }) => {
  await registerDevice(api, { name: "arm-01", tags: ["blue"] });
  await page.goto("/devices?tags=blue&search=arm&type=boat");
  await expect(page.getByRole("heading", { name: "No devices match 3 filters" })).toBeVisible();
  await expect(page.getByText("Without the filter by type some would.")).toBeVisible();
  await live(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("row", { name: /arm-01/ })).toBeVisible();
  await expect(page).toHaveURL(/\/devices$/);
});

test("an address that the API refuses shows the reason and the request id @full", async ({ page, faults }) => {
  faults.expect(/status of 400/);
  await page.goto("/devices?metadata=oops");
  const alert = page.getByRole("alert").filter({ hasText: "Devices could not be loaded" });
  await expect(alert).toContainText("metadata: Value must be valid JSON.");
  await expect(alert).toContainText(/Request/);
  await expect(page.getByRole("button", { name: "Remove filter Metadata: oops" })).toBeVisible();
});

test("the whole list works by keyboard alone", async ({ api, page }) => {
  for (const name of ["amr-03", "amr-02", "amr-01"]) await registerDevice(api, { name });
  await page.goto("/devices");
  await live(page);
  const focused = (name: string) => expect(page.locator("tr:focus")).toContainText(name);

  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "Filter devices" })).toBeFocused();
  await page.keyboard.type("amr-0");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/search=amr-0/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await focused("amr-01");
  await page.keyboard.press("j");
  await focused("amr-02");
  await page.keyboard.press("Space");
  await expect(page.getByRole("dialog", { name: "amr-02" })).toBeVisible();
  await page.keyboard.press("j");
  await expect(page.getByRole("dialog", { name: "amr-03" })).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.getByRole("dialog", { name: "amr-02" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await focused("amr-02");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "amr-02", level: 1 })).toBeVisible();

  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
  await page.keyboard.type("amr-03");
  await expect(page.getByRole("option", { name: /amr-03/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "amr-03", level: 1 })).toBeVisible();
});

test("more than a page of devices loads on scrolling and by button", async ({ api, page }) => {
  await repeatDevice((await registerDevice(api)).uid, 129);
  await page.goto("/devices");
  await expect(page.getByText("100+ devices loaded")).toBeVisible();
  await live(page);
  await page.getByRole("button", { name: "Load more" }).click();
  await expect(page.getByText("130 devices", { exact: true })).toBeVisible();
});
