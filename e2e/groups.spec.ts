import { expect, inEveryLook, live, lookAtTabs, lookOnce, registerDevice, test, unique, widths } from "./fixtures";

test("groups are made inside each other, filled by filter, taken back, and show what watches them", async ({
  page,
  api,
}) => {
  const type = unique("arm");
  await Promise.all([1, 2, 3].map((n) => registerDevice(api, { name: `${type}-${n}`, type })));
  await registerDevice(api, { name: unique("rover"), type: "rover" });
  await page.goto("/groups");
  await live(page);
  await expect(page.getByRole("heading", { name: "No groups yet" })).toBeVisible();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Berlin");
  await dialog.getByRole("button", { name: "Create group" }).click();
  const row = page.getByRole("row", { name: /Berlin/ });
  await expect(row).toBeVisible();

  await row.hover();
  await row.getByRole("button", { name: "Actions for Berlin" }).click();
  await page.getByRole("menuitem", { name: "New group inside" }).click();
  await dialog.getByLabel("Name").fill("Hall 2");
  await dialog.getByRole("button", { name: "Create group" }).click();
  await expect(dialog).toBeHidden();
  await inEveryLook(page, async () => {
    await page.reload();
    await live(page);
    await expect(row).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await page.getByLabel("Filter groups").fill("hall");
  await page.keyboard.press("Enter");
  const hall = page.getByRole("row", { name: /Berlin \/.*Hall 2/ });
  await expect(hall).toBeVisible();
  await hall.click();
  await expect(page.getByRole("dialog", { name: "Hall 2" })).toBeVisible();
  await lookOnce(page);
  await page.getByRole("link", { name: "Open", exact: true }).click();

  await expect(page.getByRole("heading", { name: "Hall 2", level: 1 })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No devices in it yet" })).toBeVisible();
  await page.getByRole("button", { name: "Add devices" }).first().click();
  await dialog.getByLabel("Search devices").fill(type);
  await expect(dialog.getByRole("checkbox")).toHaveCount(3);
  await dialog.getByRole("button", { name: "Add all 3" }).click();
  await expect(page.getByRole("row", { name: new RegExp(`${type}-2`) })).toBeVisible();
  await expect(page.getByText("3 devices").first()).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("heading", { name: "No devices in it yet" })).toBeVisible();

  await page.getByRole("button", { name: "Add devices" }).first().click();
  await dialog.getByLabel("Search devices").fill(type);
  await dialog.getByRole("checkbox", { name: new RegExp(`${type}-1`) }).click();
  await dialog.getByRole("button", { name: "Add 1 device" }).click();
  await expect(page.getByRole("row", { name: new RegExp(`${type}-1`) })).toBeVisible();

  const { results } = await api.get<{ results: { uid: string; name: string }[] }>("/fleet/groups/");
  const berlin = results.find(({ name }) => name === "Berlin")?.uid ?? "";
  await api.post("/fleet/rules/", {
    name: "Too hot in Berlin",
    condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
    scope: { group_ids: [berlin] },
    actions: [{ type: "tag", value: "hot" }],
  });
  await page.getByRole("tab", { name: "Used by" }).click();
  await expect(page.getByRole("link", { name: "Too hot in Berlin" })).toBeVisible();
  await expect(page.getByText("through Berlin")).toBeVisible();
  await lookOnce(page);
  await lookAtTabs(page, ["Devices", "Groups"]);
});

test("a group that a rule names is deleted only by its name; the groups in it move up @full", async ({ page, api }) => {
  const { uid } = await api.post<{ uid: string }>("/fleet/groups/", { name: "Site A" });
  await api.post("/fleet/groups/", { name: "Line 1", parent_id: uid });
  await api.post("/fleet/rules/", {
    name: "Too hot",
    condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
    scope: { group_ids: [uid] },
    actions: [{ type: "tag", value: "hot" }],
  });
  await page.goto(`/groups/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Actions for Site A" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("1 rule names it");
  await expect(dialog.getByRole("button", { name: "Delete group" })).toBeDisabled();
  await dialog.getByRole("textbox").fill("Site A");
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await page.waitForURL("**/groups");
  await expect(page.getByText("Line 1")).toBeVisible();
  await expect(page.getByText("Site A", { exact: true })).toHaveCount(0);
});
