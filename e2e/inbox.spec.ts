import type { APIRequestContext, Locator, Page, Route } from "@playwright/test";
import { expect, inEveryLook, live, raiseAlert, registerDevice, test, widths, type Api, reload } from "./fixtures";
import { recordingBytes, uploadRecording } from "./recording-files";
import { repeatAlert } from "./repeated-rows";

const rows = (page: Page) => page.getByRole("table", { name: "Alerts" }).locator("tbody tr[data-row]");
const order = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
const toasts = (page: Page) => page.locator("[data-sonner-toast]");
const hour = 3_600_000;

async function getBox(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error("it is not on the screen");
  return box;
}

const touching = (
  a: { x: number; y: number; width: number; height: number },
  b: { x: number; y: number; width: number; height: number },
) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const makeRule = (api: Api, name: string) =>
  api.post<{ uid: string }>("/fleet/rules/", {
    name,
    condition: { type: "threshold", topic: "/motor/temp", field: "value", operator: "gt", value: 80, window: "1s" },
    actions: [{ type: "flag_for_review", severity: "error" }],
  });

interface Alert {
  uid: string;
  recording_id: string;
  message: string;
  triggered_at: string;
}

const listAlerts = async (api: Api) => (await api.get<{ results: Alert[] }>("/fleet/alerts/?limit=200")).results;

/** Uploads recordings of a motor that gets hot, in the given order, and waits for an alert of each. */
async function record(
  api: Api,
  request: APIRequestContext,
  device: Parameters<typeof uploadRecording>[2]["device"][],
  from: number[],
) {
  const uids: string[] = [];
  for (const [at, begins] of from.entries()) {
    const bytes = recordingBytes(60, { from: begins, description: "Temperature in degrees Celsius" });
    const { uid } = await uploadRecording(api, request, { bytes, device: device[at] ?? "arm", name: `Run ${at}` });
    uids.push(uid);
  }
  await expect.poll(async () => (await listAlerts(api)).length).toBe(from.length);
  return uids;
}

test("undo selects what it restored, so that the next key acts on it", async ({ page }) => {
  const [info, error, critical] = [
    await raiseAlert(page, "info"),
    await raiseAlert(page, "error"),
    await raiseAlert(page, "critical"),
  ];
  await page.goto("/alerts?group=none");
  await live(page);
  await expect.poll(() => order(page)).toEqual([critical, error, info]);
  await page.keyboard.press("a");
  await expect.poll(() => order(page)).toEqual([error, info]);
  await page.keyboard.press("u");
  await expect.poll(() => order(page)).toEqual([critical, error, info]);
  await expect(page.locator(`tr[data-row="${critical}"]`)).toHaveAttribute("aria-current", "true");
  await expect(page.locator(`tr[data-row="${critical}"]`)).toBeFocused();
  await page.keyboard.press("r");
  await expect(page.getByRole("radio", { name: "Fixed" })).toBeFocused();
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => order(page)).toEqual([error, info]);
});

test("undo takes back a step whose response is still on its way", async ({ page }) => {
  const uid = await raiseAlert(page, "error");
  await page.goto("/alerts");
  await live(page);
  await expect.poll(() => order(page)).toEqual([uid]);
  const held: Route[] = [];
  await page.route(/trpc\/alerts\.bulk/, (route) => void held.push(route), { times: 1 });
  await page.keyboard.press("a");
  await expect.poll(() => held.length).toBe(1);
  await page.keyboard.press("u");
  await held[0]?.continue();
  await expect(page.getByText(/^Undone: acknowledged/)).toBeVisible();
  await expect.poll(() => order(page)).toEqual([uid]);
});

test("toasts cover no actions, stay below dialogs, and an undone one offers nothing", async ({ page }) => {
  await raiseAlert(page, "error");
  await raiseAlert(page, "critical");
  await page.goto("/alerts");
  await live(page);
  await expect(rows(page)).toHaveCount(2);
  const pane = page.getByRole("region", { name: "Test alert" });
  await pane.getByRole("button", { name: /^Acknowledge/ }).click();
  await expect(toasts(page)).toHaveCount(1);
  await expect(rows(page)).toHaveCount(1);
  const toast = await getBox(toasts(page).first());
  expect(touching(toast, await getBox(pane))).toBe(false);
  expect(toast.x).toBeGreaterThan((await getBox(page.getByRole("navigation", { name: "Main" }).first())).width);
  await pane.getByRole("button", { name: /^Resolve/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Resolve/ });
  await expect(dialog).toBeVisible();
  const above = await toasts(page)
    .first()
    .evaluate((element) => {
      const box = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    });
  expect(above).toBe(false);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("u");
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByText(/^Undone:/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
});

test("each toast undoes its own step @full", async ({ page }) => {
  const [error, critical] = [await raiseAlert(page, "error"), await raiseAlert(page, "critical")];
  await page.goto("/alerts");
  await live(page);
  await expect.poll(() => order(page)).toEqual([critical, error]);
  await page.keyboard.press("a");
  await expect.poll(() => order(page)).toEqual([error]);
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { name: "No open alerts" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(2);
  // The newest is at the bottom of the screen.
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => order(page)).toEqual([critical, error]);
});

test("what a robot uploads late is listed, aged and compared by when it happened, in sentences with units", async ({
  page,
  api,
  request,
}) => {
  await makeRule(api, "Motor too hot");
  const device = await registerDevice(api, { name: "arm-07" });
  const now = Date.now();
  const starts = [now - 2 * hour, now - 6 * 24 * hour, now - 26 * hour];
  const recordings = await record(api, request, [device, device, device], starts);
  const alerts = await listAlerts(api);
  const find = (at: number) => alerts.find((alert) => alert.recording_id === recordings[at])?.uid ?? "";
  const [today, lastWeek, yesterday] = [find(0), find(1), find(2)];

  await page.goto("/alerts?order=newest&group=none");
  await live(page);
  await expect.poll(() => order(page)).toEqual([today, yesterday, lastWeek]);
  const row = page.locator(`tr[data-row="${lastWeek}"]`);
  await expect(row).toContainText(/Motor too hot · arm-07.*Motor temp \d+(\.\d+)? °C \(limit 80 °C for 1 s\)/);
  await expect(row).toContainText("6 d ago");
  await page.goto("/alerts?since=-2d&order=newest&group=none");
  await expect.poll(() => order(page)).toEqual([today, yesterday]);
  // The tabs count what their lists show, whichever filter there is.
  for (const [filter, count] of Object.entries({ "since=-2d": 2, "q=motor": 3, "severity=error": 3 })) {
    await page.goto(`/alerts?${filter}&group=none`);
    await expect(page.getByRole("tab", { name: `Open ${count}`, exact: true })).toBeVisible();
    await expect(rows(page)).toHaveCount(count);
  }

  await page.goto(`/alerts/${lastWeek}`);
  const trigger = page.getByRole("listitem").filter({ hasText: "Triggered:" });
  await expect(trigger).toContainText(/Found (\d+ [sm] ago|just now|now),\s*triggered 6 d ago/);

  // Before yesterday's came last week's, though it was uploaded earlier than yesterday's and later than today's.
  await page.goto(`/alerts/${yesterday}`);
  const before = page
    .locator("section", { has: page.getByRole("heading", { name: "This rule on this device before" }) })
    .last()
    .getByRole("listitem");
  await expect(before).toHaveCount(1);
  await expect(before.getByRole("link")).toHaveAttribute("href", `/alerts/${lastWeek}`);
  await expect(before.getByRole("link")).toHaveText(/^Motor temp \d+(\.\d+)? °C/);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Motor temp");
  await expect(page.getByRole("option", { name: /Motor temp \d+(\.\d+)? °C \(limit/ }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Alerts: some/ }).click();
  await expect(page.getByRole("link", { name: /Motor temp \d+(\.\d+)? °C \(limit/ }).first()).toBeVisible();
});

test("three alerts of one rule are one row, and the address can say otherwise", async ({ page, api, request }) => {
  await makeRule(api, "Motor too hot");
  await record(api, request, [await registerDevice(api, { name: "arm-08" })], [Date.now() - hour]);
  const [first] = await listAlerts(api);
  await repeatAlert(first?.uid ?? "", 2);
  await page.goto("/alerts");
  await live(page);
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByRole("row", { name: /Error.*Motor too hot · arm-08.*3 alerts/ })).toBeVisible();
  const pane = page.getByRole("region", { name: "Motor too hot" });
  await expect(pane.getByRole("button", { name: /^Acknowledge 3/ })).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto("/alerts");
    await expect(rows(page)).toHaveCount(1);
  });
  await page.setViewportSize(widths.desk);
  await page.getByRole("button", { name: "Grouped by rule" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Alert", exact: true }).click();
  await expect(page).toHaveURL(/group=none/);
  await expect(rows(page)).toHaveCount(3);
  await reload(page);
  await expect(rows(page)).toHaveCount(3);
  await page.goto("/alerts");
  await live(page);
  await page.keyboard.press("a");
  await expect(page.getByRole("tab", { name: "Acknowledged 3" })).toBeVisible();
  await page.keyboard.press("u");
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByRole("tab", { name: "Open 3" })).toBeVisible();
});

test("evidence stands beside the list, as wide as the person made it, and in a drawer where there is no room", async ({
  page,
}) => {
  const uid = await raiseAlert(page, "critical");
  await raiseAlert(page, "warning");
  await page.goto("/alerts");
  await live(page);
  const pane = page.getByRole("region", { name: "Test alert" });
  await expect(pane.getByRole("heading", { name: "What triggered it" })).toBeVisible();
  const list = page.getByRole("table", { name: "Alerts" });
  const steps = pane.getByRole("button", { name: /^Acknowledge/ });
  expect((await getBox(steps)).y).toBeLessThan(
    (await getBox(pane.getByRole("heading", { name: "What triggered it" }))).y,
  );
  const line = page.getByRole("separator", { name: "Width of the list" });
  await expect(line).toHaveAttribute("aria-valuenow", "45");
  const narrow = (await getBox(list)).width;
  await line.focus();
  for (let press = 0; press < 5; press++) await page.keyboard.press("ArrowRight");
  await expect(line).toHaveAttribute("aria-valuenow", "55");
  expect((await getBox(list)).width).toBeGreaterThan(narrow + 50);
  await reload(page);
  await expect(line).toHaveAttribute("aria-valuenow", "55");
  const box = await getBox(line);
  await page.mouse.move(box.x, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x - 200, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Number(await line.getAttribute("aria-valuenow"))).toBeLessThan(45);
  await line.dblclick();
  await expect(line).toHaveAttribute("aria-valuenow", "45");

  await page.setViewportSize({ width: 1099, height: 800 });
  await expect(line).toBeHidden();
  await page.locator(`tr[data-row="${uid}"]`).click();
  await expect(page.getByRole("dialog", { name: "Test alert" })).toBeVisible();
});

test("rows that arrive wait where they cover nothing, and a row's checkbox can be hit beside its mark", async ({
  page,
}) => {
  await raiseAlert(page, "info");
  await page.goto("/alerts");
  await live(page);
  await expect(rows(page)).toHaveCount(1);
  await raiseAlert(page, "critical");
  const pill = page.getByRole("button", { name: "1 new" });
  await expect(pill).toBeVisible();
  expect(touching(await getBox(pill), await getBox(page.getByRole("table", { name: "Alerts" })))).toBe(false);
  const mark = await getBox(page.getByRole("checkbox", { name: /^Select Test alert/ }));
  await page.mouse.click(mark.x - 3, mark.y - 3);
  await expect(page.getByText("1 row selected")).toBeVisible();
});

test("on a phone a row begins with its severity @full", async ({ page }) => {
  await page.setViewportSize(widths.phone);
  await raiseAlert(page, "critical");
  await page.goto("/alerts");
  await live(page);
  const row = rows(page).first();
  expect((await getBox(row.getByText("Critical"))).x).toBeLessThan(
    (await getBox(row.getByText("Test alert").first())).x,
  );
});

test("a rule for chosen devices shows no error where there is none @full", async ({ page, api }) => {
  const device = await registerDevice(api, { name: "arm-09" });
  const { uid } = await api.post<{ uid: string }>("/fleet/rules/", {
    name: "Scoped",
    condition: { type: "absence", topic: "/battery_state", timeout: "10s" },
    actions: [{ type: "flag_for_review" }],
    scope: { device_ids: [device.uid] },
  });
  await page.goto(`/rules/${uid}/edit`);
  await live(page);
  await expect(page.getByRole("region", { name: "Preview" })).toBeVisible();
  await expect(page.getByText("arm-09").first()).toBeVisible();
  await expect(page.locator("[data-invalid]")).toHaveCount(0);
});
