import type { Page } from "@playwright/test";
import {
  back,
  expect,
  inEveryLook,
  inNextLook,
  live,
  lookAround,
  ownPage,
  raiseAlert,
  reload,
  test,
  widths,
} from "./fixtures";

const rows = (page: Page) => page.getByRole("table", { name: "Alerts" }).locator("tbody tr[data-row]");
const order = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
const tab = (page: Page, name: string) => page.getByRole("tab", { name });

test("a test alert from the empty inbox arrives, opens its page and is removed", async ({ page }) => {
  await inNextLook(page, async () => {
    await page.goto("/alerts");
    await expect(page.getByRole("heading", { name: "No alerts yet" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  await page.getByRole("button", { name: "Test an alert" }).first().click();
  await page.getByRole("radio", { name: "Warning" }).click();
  await page.getByRole("button", { name: "Send test alert" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByRole("row", { name: /Warning.*Test alert/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /Alerts 1 open, worst warning/ })).toBeVisible();
  await page.getByRole("row", { name: /Test alert/ }).click();
  const pane = page.getByRole("region", { name: "Test alert" });
  await expect(pane.getByText("No rule triggered this. It was sent by hand as a test.")).toBeVisible();
  await pane.getByRole("link", { name: "Open" }).click();
  await expect(page.getByRole("heading", { name: "Test alert", level: 1 })).toBeVisible();
  await inEveryLook(page, async () => {
    await reload(page);
    await expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await page.getByRole("button", { name: "Actions for Test alert" }).click();
  await page.getByRole("menuitem", { name: "Remove test alert" }).click();
  await expect(page).toHaveURL(/\/alerts$/);
  await expect(page.getByRole("heading", { name: "No alerts yet" })).toBeVisible();
});

test("the inbox is triaged by keyboard alone: move, assign, acknowledge, resolve with a note, undo", async ({
  page,
}) => {
  const [info, error, critical] = [
    await raiseAlert(page, "info"),
    await raiseAlert(page, "error"),
    await raiseAlert(page, "critical"),
  ];
  await page.goto("/alerts");
  await live(page);
  await expect.poll(() => order(page)).toEqual([critical, error, info]);

  // The worst is shown, so the keys work on it.
  await page.keyboard.press("i");
  await expect(
    page
      .locator(`tr[data-row="${critical}"]`)
      .getByText(/^user-/)
      .first(),
  ).toBeVisible();
  await page.keyboard.press("a");
  await expect.poll(() => order(page)).toEqual([error, info]);
  await expect(tab(page, "Acknowledged 1")).toBeVisible();
  // The next row is current now, so the same key works on it.
  await expect(page.locator(`tr[data-row="${error}"]`)).toBeFocused();
  await page.keyboard.press("r");
  await expect(page.getByRole("radio", { name: "Fixed" })).toBeFocused();
  await page.keyboard.press("1");
  await expect(page.getByRole("radio", { name: "Fixed" })).toBeChecked();
  await page
    .getByRole("dialog", { name: /^Resolve/ })
    .getByRole("textbox", { name: /Note/ })
    .fill("Fan replaced");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => order(page)).toEqual([info]);
  await expect(tab(page, "Resolved 1")).toBeVisible();
  await page.keyboard.press("u");
  await expect.poll(() => order(page)).toEqual([error, info]);

  await page.keyboard.press("n");
  await expect(page).toHaveURL(new RegExp(`selected=${info}`));
  await page.keyboard.press("c");
  await page.getByRole("textbox", { name: "Comment" }).fill("Looking at it");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("region", { name: "Test alert" }).getByText("Looking at it")).toBeVisible();
});

test("on an alert’s page whoever acknowledges it goes on with the open ones; after the last it says so", async ({
  page,
}) => {
  const [critical, error] = [await raiseAlert(page, "critical"), await raiseAlert(page, "error")];
  await page.goto(`/alerts/${critical}`);
  await live(page);
  await page.keyboard.press("a");
  await expect(page.getByRole("button", { name: /^Acknowledge/ })).toBeHidden();
  await page.keyboard.press("n");
  await expect(page).toHaveURL(new RegExp(`/alerts/${error}$`));
  await expect(page.getByRole("button", { name: /^Acknowledge/ })).toBeVisible();
  await page.keyboard.press("n");
  await expect(page.getByText("No open alert comes after this one")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/alerts/${error}$`));
});

test("bulk actions work on selected alerts and on groups, and are undone together", async ({ page }) => {
  for (let each = 0; each < 4; each++) await raiseAlert(page, each === 0 ? "critical" : "warning");
  await page.goto("/alerts");
  await live(page);
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await expect(page.getByText("3 rows selected")).toBeVisible();
  await page.getByRole("toolbar").getByRole("button", { name: "Acknowledge" }).click();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows(page)).toHaveCount(4);

  await page.goto("/alerts?group=device");
  await live(page);
  await expect(rows(page)).toHaveCount(1);
  await lookAround(page);
  await expect(page.getByRole("row", { name: /Critical.*4 rules.*4 alerts/ })).toBeVisible();
  await page.getByRole("button", { name: /^Expand No device/ }).click();
  await expect(rows(page)).toHaveCount(5);
  await page.getByRole("button", { name: /^Collapse No device/ }).click();
  await page.getByRole("checkbox", { name: /^Select all of/ }).click();
  await page.getByRole("toolbar").getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("radio", { name: "Expected" }).click();
  await page.getByRole("button", { name: "Resolve", exact: false }).last().click();
  await expect(page.getByRole("heading", { name: "No open alerts" })).toBeVisible();
  await expect(page.getByText(/Last one resolved/)).toBeVisible();
  await expect(tab(page, "Resolved 4")).toBeVisible();
});

test("new alerts wait behind a pill and are announced; changed ones update in place", async ({ page }) => {
  const first = await raiseAlert(page, "info");
  await inEveryLook(page, async () => {
    await page.goto(`/alerts?selected=${first}`);
    await expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await inEveryLook(page, async () => {
    await page.goto("/alerts");
    await expect(rows(page)).toHaveCount(1);
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  const second = await raiseAlert(page, "critical");
  const pill = page.getByRole("button", { name: "1 new" });
  await expect(pill).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "1 new alert" })).toBeAttached();
  await expect(rows(page)).toHaveCount(1);
  await pill.click();
  await expect.poll(() => order(page)).toEqual([second, first]);
  await page.request.post("/api/trpc/alerts.assign", { data: { uid: first, assignee: "me" }, headers: ownPage });
  await expect(page.locator(`tr[data-row="${first}"] td`).nth(5)).not.toHaveText("–None");
});

test("tab, filters and grouping are kept in the address; a filter without matches is named", async ({ page }) => {
  await raiseAlert(page, "warning");
  await page.goto("/alerts?severity=critical&q=test");
  await live(page);
  await expect(page.getByRole("heading", { name: "No alerts match 2 filters" })).toBeVisible();
  await expect(page.getByText("Without the filter by severity some would.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(1);
  await tab(page, "Acknowledged").click();
  await expect(page).toHaveURL(/\?status=acknowledged$/);
  await expect(page.getByRole("heading", { name: "No acknowledged alerts" })).toBeVisible();
  await back(page);
  await expect(rows(page)).toHaveCount(1);
  await page.goto("/alerts?since=-24h&severity=%3E%3Dwarning");
  await expect(rows(page)).toHaveCount(1);
});

test.describe("on a phone", () => {
  test.use({ viewport: widths.phone, hasTouch: true });

  test("a swipe to the right acknowledges", async ({ page }) => {
    const uid = await raiseAlert(page, "error");
    await page.goto("/alerts");
    await live(page);
    await page.locator(`tr[data-row="${uid}"]`).evaluate((row) => {
      const box = row.getBoundingClientRect();
      const touch = (x: number) =>
        new Touch({ identifier: 1, target: row, clientX: box.left + x, clientY: box.top + 20 });
      const send = (type: string, x: number) =>
        row.dispatchEvent(
          new TouchEvent(type, {
            bubbles: true,
            cancelable: true,
            touches: type === "touchend" ? [] : [touch(x)],
            changedTouches: [touch(x)],
          }),
        );
      send("touchstart", 20);
      for (const x of [40, 80, 120, 160]) send("touchmove", x);
      send("touchend", 160);
    });
    await expect(tab(page, "Acknowledged 1")).toBeVisible();
  });
});

test("an alert that does not exist shows a not-found page inside the shell", async ({ page, faults }) => {
  faults.expect(/status of 404/);
  const response = await page.goto("/alerts/alt_00000000-0000-7000-8000-000000000000");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Alert not found" })).toBeVisible();
});
