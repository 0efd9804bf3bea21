import {
  expect,
  heartbeat,
  inEveryLook,
  live,
  lookAtTabs,
  lookOnce,
  registerDevice,
  signInByForm,
  signUp,
  test,
  visitors,
  widths,
} from "./fixtures";

test("a device is put into maintenance, renamed, tagged, described and deleted from its page", async ({
  api,
  request,
  page,
}) => {
  const device = await registerDevice(api, {
    name: "arm-01",
    metadata: { site: "berlin", slots: 4, armed: true, place: { lat: 1 } },
  });
  await heartbeat(request, device, { metrics: { battery: 0.87 } });
  await api.post("/fleet/recordings/", { device_id: device.uid, name: "run", tags: ["night"] });
  await inEveryLook(page, async () => {
    await page.goto(`/devices/${device.uid}`);
    await live(page);
    await expect(page.getByRole("button", { name: /^Battery/ })).toContainText("87 %");
  });
  await page.setViewportSize(widths.desk);
  await expect(page).toHaveTitle("arm-01 · Muster");
  await expect(page.getByText(/last heartbeat/).first()).toBeVisible();
  await page.getByRole("button", { name: /^Battery/ }).press("Enter");
  const moment = page.getByRole("dialog", { name: "Battery" }).getByRole("slider", { name: "Moment" });
  await expect(moment).toHaveAttribute("aria-valuetext", /Battery 87 %/);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/devices\/[^?]+$/);

  await page.getByRole("button", { name: "Maintenance", exact: true }).click();
  await page.getByRole("button", { name: "Start maintenance" }).click();
  await expect(page.getByText(/set by hand/)).toBeVisible();
  await page.getByRole("button", { name: "End maintenance" }).click();
  await expect(page.getByText(/waiting for the next/)).toBeVisible();

  await page.getByRole("button", { name: "Edit tags" }).click();
  await lookOnce(page);
  await page.getByLabel("Tags of arm-01").fill("hall-2,");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Tags of arm-01 were changed")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("No tags")).toBeVisible();

  await lookAtTabs(page, ["Timeline", "Recordings", "Events", "Alerts", "Rules", "Activity"]);
  await page.getByRole("tab", { name: "Metadata" }).click();
  await expect(page.getByText("0.87")).toBeVisible();
  await lookOnce(page);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await lookOnce(page);
  await page.getByLabel("Value of slots").fill("many");
  await page.getByRole("button", { name: "Save metadata" }).click();
  await expect(page.getByText("Enter a number.")).toBeVisible();
  await page.getByLabel("Value of slots").fill("6");
  await page.getByRole("button", { name: "Remove site" }).click();
  // What the device itself writes meanwhile is not overwritten.
  await heartbeat(request, device, { metadata: { mode: "auto" } });
  await page.getByRole("button", { name: "Save metadata" }).click();
  await expect(page.getByText("Metadata of arm-01 was saved")).toBeVisible();
  expect((await api.get<{ metadata: unknown }>(`/fleet/devices/${device.uid}/`)).metadata).toEqual({
    slots: 6,
    armed: true,
    place: { lat: 1 },
    mode: "auto",
  });

  const menu = page.getByRole("button", { name: "Actions for arm-01" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Edit details" }).click();
  await page.getByLabel("Name").fill("arm-02");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("heading", { name: "arm-02", level: 1 })).toBeVisible();

  await page.getByRole("button", { name: "Actions for arm-02" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const remove = page.getByRole("button", { name: "Delete device" });
  await expect(remove).toBeDisabled();
  await page.getByLabel("Type arm-02 to confirm").fill("arm-02");
  await remove.click();
  await expect(page).toHaveURL(/\/devices$/);
  await expect(page.getByRole("heading", { name: "No devices yet" })).toBeVisible();
});

test("a device that does not exist shows a not-found page inside the shell", async ({ page, faults }) => {
  faults.expect(/status of 404/);
  for (const uid of ["dev_00000000-0000-7000-8000-000000000000", "nonsense"]) {
    const response = await page.goto(`/devices/${uid}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Device not found" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  }
});

visitors("a visitor without a session returns to the device after signing in", async ({ page, request, browser }) => {
  const person = await signUp(request);
  const response = await request.post("/api/v1/fleet/devices/", {
    headers: { "X-Service-Api-Key": person.key },
    data: { name: "arm-01" },
  });
  const { uid } = (await response.json()) as { uid: string };
  await page.goto(`/devices/${uid}?tab=alerts`);
  await expect(page).toHaveURL(/\/login\?next=/);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(new RegExp(`/devices/${uid}\\?tab=alerts$`));
  // A member of another organization gets a not-found page.
  const outsider = await signUp(request);
  const context = await browser.newContext();
  const other = await context.newPage();
  await signInByForm(other, outsider);
  expect((await other.goto(`/devices/${uid}`))?.status()).toBe(404);
  await context.close();
});
