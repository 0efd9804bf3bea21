import { openBrowser, expect, expectNoLayoutShift, lookAround, signUp, test, unique, widths, reload } from "./fixtures";

test.describe("API keys", () => {
  test("a key is shown once, works, and fails on the next request after it is revoked", async ({ page, request }) => {
    await page.goto("/settings/api-keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("nightly export");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = await dialog.getByLabel("API key", { exact: true }).textContent();
    const call = async () =>
      (await request.get("/api/v1/fleet/devices/", { headers: { "x-service-api-key": key ?? "" } })).status();
    expect(await call()).toBe(200);
    // Escape does not close it.
    await page.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await dialog.getByRole("checkbox", { name: "I stored it" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(key ?? "")).toHaveCount(0);

    const row = page.getByRole("row", { name: /nightly export/ });
    await row.hover();
    await row
      .getByRole("button", { name: /nightly export/ })
      .last()
      .click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await expect(row.getByText("Revoked")).toBeVisible();
    expect(await call()).toBe(401);
  });

  test("a read-only key reads and does not write", async ({ page, request }) => {
    await page.goto("/settings/api-keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("dashboard wall");
    await dialog.getByText("Read only").click();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await dialog.getByLabel("API key", { exact: true }).textContent()) ?? "";
    const headers = { "x-service-api-key": key };
    expect((await request.get("/api/v1/fleet/devices/", { headers })).status()).toBe(200);
    expect((await request.post("/api/v1/fleet/devices/", { headers, data: { name: "x" } })).status()).toBe(403);
  });
});

test.describe("members", () => {
  test("an invited person joins by the link, and only they can", async ({ page, browser, request, person }) => {
    const guest = await signUp(request);
    const outsider = await signUp(request);
    await page.goto("/settings/members");
    await page.getByRole("button", { name: "Invite" }).click();
    const addresses = page.getByLabel("E-mail addresses");
    for (const address of [guest.email, person.email]) {
      await addresses.fill(address);
      await addresses.press("Enter");
    }
    await page.getByRole("button", { name: "Invite 2 people" }).click();
    await expect(page.getByText(`${guest.email}: invited`)).toBeVisible();
    await expect(page.getByText(`${person.email}: already invited, or a member`)).toBeVisible();
    await page.keyboard.press("Escape");

    await page.getByRole("tab", { name: "Pending" }).click();
    await expect(page.getByRole("row", { name: new RegExp(guest.email) })).toBeVisible();
    const invitations = await request.get("/api/v1/organizations/", { headers: { "x-service-api-key": person.key } });
    const { results } = (await invitations.json()) as { results: { slug: string }[] };
    const listed = await request.get(`/api/v1/organizations/${results[0]?.slug}/invitations/`, {
      headers: { "x-service-api-key": person.key },
    });
    const link = ((await listed.json()) as { results: { accept_url: string }[] }).results[0]?.accept_url ?? "";

    const wrong = await (await openBrowser(browser, outsider)).newPage();
    await wrong.goto(link);
    await expect(wrong.getByText(`the invitation is for ${guest.email}`)).toBeVisible();
    const right = await (await openBrowser(browser, guest)).newPage();
    await right.goto(link);
    await right.getByRole("button", { name: /^Join/ }).click();
    await expect(right.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();
    await right.goto(link);
    await expect(right.getByText("no longer valid")).toBeVisible();

    await page.getByRole("tab", { name: "Members" }).click();
    await expect(page.getByRole("row", { name: new RegExp(guest.email) })).toBeVisible();
    await wrong.context().close();
    await right.context().close();
  });
});

test.describe("the audit log", () => {
  test("shows who did what, opens what changed, and keeps its filter in the address", async ({ page, api }) => {
    const device = await api.post<{ uid: string }>("/fleet/devices/", { name: unique("arm") });
    await api.patch(`/fleet/devices/${device.uid}/`, { firmware_version: "2.0.1" });
    await page.goto(`/settings/audit?target_id=${device.uid}`);
    await expect(page.getByRole("row", { name: /Device updated.*firmware version: none → 2\.0\.1/ })).toBeVisible();
    await expect(page.getByRole("row", { name: /API key created/ })).toHaveCount(0);
    await page.getByRole("row", { name: /Device updated/ }).click();
    const changed = page.getByRole("dialog").getByRole("row", { name: /^firmware_version (–|none) 2\.0\.1/ });
    await expect(changed).toBeVisible();
    await reload(page);
    await expect(changed).toBeVisible();
    await page.keyboard.press("Escape");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  });
});

test("the settings fit every width, in both themes", async ({ page }) => {
  for (const [path, heading] of [
    ["/settings/api-keys", "API keys"],
    ["/settings/members", "Members"],
    ["/settings/audit", "Audit log"],
    ["/settings/profile", "Profile"],
  ] as const) {
    await page.setViewportSize(widths.desk);
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expectNoLayoutShift(page);
    await lookAround(page);
  }
});

test("every settings page can be reached and used by keyboard alone @full", async ({ page }) => {
  await page.goto("/settings/profile");
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
  await page.locator("body").click();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.waitForURL("**/settings/api-keys");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
  await page.keyboard.type("Members");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/settings/members");
});
