import {
  back,
  expect,
  expectRefusedList,
  inEveryLook,
  live,
  lookAround,
  registerDevice,
  test,
  widths,
  type Api,
} from "./fixtures";

const at = (second: number): string => `2026-02-01T10:00:${String(second).padStart(2, "0")}.250Z`;

/** A recording of `arm-01` with an error, two warnings and an info on it. */
async function marked(api: Api): Promise<{ device: string; recording: string; uids: Record<string, string> }> {
  const device = await registerDevice(api, { name: "arm-01" });
  const { uid } = await api.post<{ uid: string }>("/fleet/recordings/", { device_id: device.uid, name: "Pick cycle" });
  const uids: Record<string, string> = {};
  const make = async (label: string, second: number, rest: Record<string, unknown>) => {
    const event = await api.post<{ uid: string }>("/fleet/events/", {
      recording_id: uid,
      label,
      timestamp: at(second),
      ...rest,
    });
    uids[label] = event.uid;
  };
  await make("Gripper slipped", 5, {
    type: "error",
    tags: ["grip"],
    metadata: { force: 1.25, codes: [7, 9], place: { cell: "B" } },
  });
  await make("Motor warm", 20, { type: "warning", duration_ms: 4_000 });
  await make("Motor hot", 30, { type: "warning", severity: "critical" });
  await make("Shift began", 50, { type: "info", metadata: { force: 2 } });
  return { device: device.uid, recording: uid, uids };
}

test("events are listed by time with their recording, and the histogram above narrows them", async ({ api, page }) => {
  await marked(api);
  await page.goto("/events");
  await live(page);
  const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await expect(rows).toHaveText([/Shift began/, /Motor hot/, /Motor warm/, /Gripper slipped/]);
  await expect(rows.last()).toHaveText(/10:00:05\.250.*Error.*Error.*Gripper slipped.*arm-01.*Pick cycle.*grip/);

  const histogram = page.getByRole("slider", { name: /Events over time/ });
  await histogram.focus();
  await page.keyboard.press("Home");
  await expect(histogram).toHaveAttribute("aria-valuetext", /1 error$/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/since=2026-02-01T10%3A00%3A05Z|since=2026-02-01T10:00:05Z/);
  await expect(rows).toHaveText([/Gripper slipped/]);
  await page.getByRole("button", { name: "All time" }).click();
  await expect(rows).toHaveCount(4);
  await back(page);
  await expect(rows).toHaveCount(1);
  await page.goForward();
  await expect(rows).toHaveCount(4);

  const box = await histogram.boundingBox();
  if (!box) throw new Error("no histogram");
  await page.mouse.move(box.x + box.width - 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.45, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(rows).toHaveText([/Shift began/, /Motor hot/]);
  await page.getByRole("button", { name: "All time" }).click();

  await page.getByRole("button", { name: "Show as table" }).click();
  await expect(page.getByRole("region", { name: "Events over time as a table" }).getByRole("row")).toHaveCount(5);
  await page.getByRole("button", { name: "Time", exact: true }).click();
  await expect(rows.first()).toHaveText(/Gripper slipped/);
});

test("metadata is filtered by lines or by JSON, and severity by its minimum @full", async ({ api, page }) => {
  await marked(api);
  await page.goto("/events");
  await live(page);
  const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await page.getByRole("button", { name: "Filter by metadata" }).click();
  await expect(page.getByLabel("Key of line 1")).toBeVisible();
  await lookAround(page);
  await page.getByLabel("Key of line 1").fill("place.cell");
  await page.getByLabel("Value of line 1").fill("B");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(rows).toHaveText([/Gripper slipped/]);
  await page.getByRole("button", { name: "Filter by metadata" }).click();
  await page.getByRole("tab", { name: "JSON" }).click();
  await expect(page.getByRole("textbox", { name: "Metadata contains" })).toHaveValue('{"place":{"cell":"B"}}');
  await page.getByRole("textbox", { name: "Metadata contains" }).fill('{"force": 2}');
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(rows).toHaveText([/Shift began/]);
  await page.goto("/events?severity=%3E%3Derror");
  await expect(rows).toHaveText([/Motor hot/, /Gripper slipped/]);
});

test("an event is viewed, edited, and opened at its time @full", async ({ api, page }) => {
  const { uids, recording } = await marked(api);
  await page.goto("/events");
  await live(page);
  await page.getByRole("row", { name: /Gripper slipped/ }).click();
  const drawer = page.getByRole("dialog", { name: "Gripper slipped" });
  await expect(page).toHaveURL(new RegExp(`selected=${uids["Gripper slipped"]}`));
  await expect(drawer.getByText("1.25")).toBeVisible();
  await expect(drawer.getByRole("link", { name: "Open at time" })).toHaveAttribute(
    "href",
    new RegExp(`/recordings/${recording}\\?t=2026-02-01T10%3A00%3A05\\.250000000Z`),
  );
  await drawer.getByRole("button", { name: "Edit", exact: true }).click();
  await drawer.getByLabel("Label").fill("Part dropped");
  await drawer.getByLabel("Description").fill("Grip lost while turning.");
  await drawer.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog", { name: "Part dropped" }).getByText("Grip lost while turning.")).toBeVisible();
  await expect(page.getByRole("row", { name: /Part dropped/ })).toBeVisible();
});

test("by keyboard alone several events are tagged, the tags undone, and the events deleted", async ({ api, page }) => {
  const { uids } = await marked(api);
  await page.goto("/events");
  await live(page);
  const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await expect(rows).toHaveCount(4);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const bar = page.getByRole("toolbar", { name: "Selected rows" });
  await bar.getByRole("button", { name: "Tag" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Tag 2 events" });
  await dialog
    .getByRole("textbox", { name: "Add" })
    .or(dialog.getByRole("combobox", { name: "Add" }))
    .fill("reviewed,");
  await dialog.getByRole("button", { name: "Save tags" }).press("Enter");
  await expect(page.getByRole("row", { name: /reviewed/ })).toHaveCount(2);
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  // While the toast leaves, the focus stays where the user moves it.
  const remove = bar.getByRole("button", { name: "Delete" });
  await remove.focus();
  await expect(remove).toBeFocused();
  await expect(page.getByRole("row", { name: /reviewed/ })).toHaveCount(0);
  // One of them is deleted meanwhile: the others are changed, and that one is reported.
  await remove.press("Enter");
  await api.delete(`/fleet/events/${uids["Shift began"]}/`);
  await page
    .getByRole("dialog", { name: "Delete 2 events?" })
    .getByRole("button", { name: "Delete 2 events" })
    .press("Enter");
  await expect(page.getByText("1 event not deleted")).toBeVisible();
  await expect(rows).toHaveText([/Motor warm/, /Gripper slipped/]);
});

test("an event that arrives while the list is open waits behind a pill", async ({ api, page }) => {
  const { recording, uids } = await marked(api);
  await inEveryLook(page, async () => {
    await page.goto(`/events?selected=${uids["Motor hot"]}`);
    await expect(page.getByRole("dialog", { name: "Motor hot" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await inEveryLook(page, async () => {
    await page.goto("/events");
    await expect(rows).toHaveCount(4);
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  await api.post("/fleet/events/", { recording_id: recording, type: "anomaly", label: "Late", timestamp: at(40) });
  await page.getByRole("button", { name: "1 new" }).click();
  await expect(rows.nth(1)).toHaveText(/Late/);
});

test("a list that cannot be loaded shows the error and can be retried @full", async ({ page, faults }) => {
  await expectRefusedList(page, faults, "/events?since=nonsense", "Events");
  await expect(page.getByText(/how long ago/)).toBeVisible();
});
