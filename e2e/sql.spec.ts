import { readFile } from "node:fs/promises";
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, inEveryLook, live, lookAround, lookOnce, test, unique, reload, type Api } from "./fixtures";
import { recordingBytes, uploadRecording } from "./recording-files";

/** A recording of 600 samples of `/motor/temp`, whose signals are written. */
async function withSignals(api: Api, request: APIRequestContext, device = unique("arm")): Promise<void> {
  await uploadRecording(api, request, { bytes: recordingBytes(600), device, name: "Warm-up" });
  const ask = { sql: 'select count(*) from "/motor/temp"' };
  await expect
    .poll(
      () =>
        api.post<{ rows: unknown[][] }>("/fleet/signals/query/", ask).then(
          ({ rows }) => rows[0]?.[0],
          () => 0,
        ),
      {
        timeout: 100_000,
        intervals: [500],
      },
    )
    .toBe(600);
}

const editor = (page: Page) => page.getByRole("textbox", { name: "SQL", exact: true });

/** Replaces the query by keyboard, as somebody does who does not want names completed. */
async function write(page: Page, sql: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(sql);
}

test("a query is written from the topics, run by keyboard, drawn, limited and kept in the address", async ({
  page,
  api,
  request,
}) => {
  const device = unique("arm");
  await withSignals(api, request, device);
  await page.goto("/overview");
  await live(page);
  await page.keyboard.press("g");
  await page.keyboard.press("q");
  await page.waitForURL("**/sql");
  await expect(page.getByRole("heading", { name: "SQL", level: 1 })).toBeVisible();

  const topics = page.getByRole("complementary", { name: "Topics and their columns" });
  await topics.getByText("/motor/temp").click();
  await expect(topics.getByRole("button", { name: /^value/ })).toBeVisible();
  await topics.getByRole("button", { name: "Use this topic" }).click();
  await expect(editor(page)).toHaveText('select * from "/motor/temp" limit 100');
  await page.keyboard.press("ControlOrMeta+Enter");
  const result = page.getByRole("table", { name: "Result" });
  await expect(result.getByRole("columnheader", { name: /device_name/ })).toBeVisible();
  await expect(result.getByRole("cell", { name: device }).first()).toBeVisible();
  await expect(page.getByText(/^100 rows from 1 recording, .+ read in/)).toBeVisible();
  await write(page, "select log_time, value -- all\nfrom \"/motor/temp\" where device_name <> 'x' limit 100");
  await lookAround(page);

  // Of many rows those on screen are drawn.
  await write(page, 'select log_time, value from "/motor/temp" order by log_time');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText(/^600 rows from 1 recording/)).toBeVisible();
  expect(await result.locator("tbody tr").count()).toBeLessThan(100);
  await page.getByRole("region", { name: "Rows of the result" }).press("End");
  await expect(result.locator('tr[aria-rowindex="601"]')).toBeVisible();

  await page.getByRole("tab", { name: "Chart" }).click();
  await expect(
    page.getByRole("img", { name: "Chart of value over log_time. The table holds the figures." }),
  ).toBeVisible();
  await expect(page).toHaveURL(/tab=chart/);
  await lookOnce(page);

  const limits = page.getByRole("combobox", { name: "Limit to devices, recordings and times" });
  await limits.fill("limit:10");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await editor(page).press("ControlOrMeta+Enter");
  await expect(page.getByText("There are more rows: these are the first 10.")).toBeVisible();

  await expect(page).toHaveURL(/sql=select.*limit=10|limit=10.*sql=select/);
  await reload(page);
  await live(page);
  await expect(editor(page)).toContainText('select log_time, value from "/motor/temp"');
  await expect(page.getByRole("button", { name: "Remove filter Rows: 10" })).toBeVisible();

  const show = async () => {
    await reload(page);
    await live(page);
    await expect(editor(page)).toContainText("select");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByRole("img", { name: /^Chart of/ })).toBeVisible();
  };
  await inEveryLook(page, show);
  await page.getByText("Topics", { exact: true }).click();
  await expect(page.getByRole("list", { name: "Topics" })).toContainText("/motor/temp");
});

/** Runs until its limit of 30 seconds. */
const endless = "select count(*) as n from range(10000000) a, range(10000000) b where (a.range + b.range) % 7 = 3";

test("a query that runs is cancelled, on the server too, and the rows of the one before stay", async ({ page }) => {
  await page.goto("/sql");
  await live(page);
  const run = page.getByRole("button", { name: "Run", exact: true });
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await write(page, "select 7 as seven");
  await run.click();
  const seven = page.getByRole("cell", { name: "7", exact: true });
  await expect(seven).toBeVisible();

  await write(page, endless);
  await run.click();
  await expect(page.getByText("Running…")).toBeVisible();
  await cancel.click();
  await expect(page.getByText("Cancelled.")).toBeVisible();
  await expect(run).toBeFocused();
  await expect(seven).toBeVisible();

  // The next one runs immediately: while another runs, it would be refused.
  await write(page, "select 8 as eight");
  await run.click();
  await expect(page.getByRole("cell", { name: "8", exact: true })).toBeVisible();
  await expect(page.getByText("Cancelled.")).toBeHidden();

  // Escape closes an open list of names first.
  await write(page, endless);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(cancel).toBeVisible();
  await page.keyboard.type(" and dev");
  await expect(page.getByRole("option", { name: /device_name/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("option", { name: /device_name/ })).toBeHidden();
  await expect(cancel).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("Cancelled.")).toBeVisible();

  // So does leaving the page.
  await write(page, endless);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(cancel).toBeVisible();
  await page.getByRole("link", { name: "Overview" }).first().click();
  await page.waitForURL("**/overview");
  await page.goto(`/sql?sql=${encodeURIComponent("select 9 as nine")}`);
  await live(page);
  await run.click();
  await expect(page.getByRole("cell", { name: "9", exact: true })).toBeVisible();
});

test("a result is saved as CSV, whose name says when there are more rows @full", async ({ page }) => {
  const save = async () => {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const file = await saving;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  };
  const sql =
    "select 9007199254740993 as big, -1.5 as d, '=1+1' as t, 'a, \"b\"' as q union all select 1, 2, null, 'é'";
  await page.goto(`/sql?sql=${encodeURIComponent(sql)}`);
  await live(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText(/^2 rows from/)).toBeVisible();
  const { name, text } = await save();
  expect(name).toMatch(/^query-\d{4}-\d\d-\d\d\.csv$/);
  expect(text).toBe('big,d,t,q\r\n9007199254740993,-1.5,\'=1+1,"a, ""b"""\r\n1,2.0,,é\r\n');
  await expect(page.getByText(`Saved 2 rows as ${name}`)).toBeVisible();

  await page.goto(`/sql?sql=${encodeURIComponent("select range as n from range(20)")}&limit=10`);
  await live(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("There are more rows: these are the first 10.")).toBeVisible();
  const part = await save();
  expect(part.name).toMatch(/-first-10-rows\.csv$/);
  expect(part.text.split("\r\n")).toHaveLength(12);
  await expect(page.getByText("The query has more rows, which the file leaves out.")).toBeVisible();
});

test("an empty editor offers examples over the organization's own topics @full", async ({ page, api, request }) => {
  const device = unique("arm");
  await withSignals(api, request, device);
  const expected: [RegExp, () => Promise<void>][] = [
    [/^Newest rows of \/motor\/temp/, () => expect(page.getByText(/^100 rows from 1 recording/)).toBeVisible()],
    [
      /^Average and maximum of value by device/,
      () => expect(page.getByRole("row", { name: new RegExp(`^${device} [\\d.]+ [\\d.]+$`) })).toBeVisible(),
    ],
    [
      /^Messages in \/motor\/temp by day/,
      () => expect(page.getByRole("cell", { name: "600", exact: true })).toBeVisible(),
    ],
  ];
  await page.goto("/sql");
  await live(page);
  const examples = page.getByRole("region", { name: "Begin with an example" });
  await expect(examples).toBeVisible();
  await lookOnce(page);
  for (const [name, shown] of expected) {
    await examples.getByRole("button", { name }).click();
    await expect(examples).toBeHidden();
    await expect(editor(page)).toBeFocused();
    await page.keyboard.press("ControlOrMeta+Enter");
    await shown();
    await page.getByRole("tab", { name: "Chart" }).click();
    await expect(page.getByRole("img", { name: /^Chart of/ })).toBeVisible();
    await page.getByRole("tab", { name: "Table" }).click();
    await write(page, " ");
  }
});

test("what is chosen before the editor is loaded is in it then, with the focus @full", async ({
  page,
  api,
  request,
}) => {
  await withSignals(api, request);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/_next/static/chunks/*.js", async (route) => {
    const response = await route.fetch();
    if (/cm-lineWrapping/.test(await response.text())) await held;
    await route.fulfill({ response });
  });
  await page.goto("/sql");
  await live(page);
  const topics = page.getByRole("complementary", { name: "Topics and their columns" });
  await topics.getByText("/motor/temp").click();
  await topics.getByRole("button", { name: "Use this topic" }).click();
  await topics.getByRole("button", { name: "Use this topic" }).click();
  await expect(editor(page)).toHaveCount(0);
  release();
  await expect(editor(page)).toHaveText('select * from "/motor/temp" limit 100"/motor/temp"');
  await expect(editor(page)).toBeFocused();
  await page.unrouteAll();
});

test("a mistake is said at the editor and marked there", async ({ page, api, request, faults }) => {
  faults.expect(/status of 400/);
  await withSignals(api, request);
  await page.goto("/sql");
  await live(page);
  await write(page, 'select device_name,\n  nothing\nfrom "/motor/temp"');
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("alert").filter({ hasText: 'Referenced column "nothing" not found' })).toBeVisible();
  await expect(page.locator(".cm-lintRange-error")).toHaveText("nothing");
  await expect(editor(page)).toHaveAttribute("aria-invalid", "true");
  await write(page, "select 1 frm x");
  await expect(page.locator(".cm-lintRange-error")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("alert").filter({ hasText: 'syntax error at or near "x"' })).toBeVisible();
  await expect(page.locator(".cm-lintRange-error")).toHaveText("x");
  await write(page, "select 7 as seven");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("cell", { name: "7", exact: true })).toBeVisible();
  await expect(editor(page)).toHaveAttribute("aria-invalid", "false");
  await page.goto("/sql?sql=select%201&since=never");
  await live(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Enter a time, or how long ago, such as -24h.")).toBeVisible();
});

test("recordings that a query leaves out are named with the reason @full", async ({ page, api, request }) => {
  const device = unique("arm");
  const { uid } = await uploadRecording(api, request, {
    bytes: recordingBytes(10, { booleans: true }),
    device,
    name: "Before the update",
  });
  await withSignals(api, request);
  await page.goto(`/sql?sql=${encodeURIComponent('select count(*) as n from "/motor/temp"')}`);
  await live(page);
  const leftOut = page.getByText("1 recording left out");
  const run = page.getByRole("button", { name: "Run", exact: true });
  await expect(async () => {
    await run.click();
    await expect(page.getByText("Running…")).toBeHidden();
    await expect(leftOut).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 100_000 });
  await leftOut.click();
  const list = page.getByRole("list", { name: "Recordings left out" });
  await expect(list).toContainText('/motor/temp: "value" is bool, and float64 in newer recordings.');
  await expect(list.getByRole("link", { name: uid })).toHaveAttribute("href", `/recordings/${uid}`);
});

test("names are completed with their quotes @full", async ({ page, api, request }) => {
  await withSignals(api, request);
  await page.goto("/sql");
  await live(page);
  await editor(page).click();
  await page.keyboard.type('select * from "/mo');
  await expect(page.getByRole("option", { name: /"\/motor\/temp"/ })).toBeVisible();
  // The editor takes no key for its list in the first 75 ms, in which somebody may still be typing.
  // oxlint-disable-next-line no-restricted-properties -- that time is not visible
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await expect(editor(page)).toHaveText('select * from "/motor/temp"');
});

test("queries are saved for everyone, taken and deleted", async ({ page }) => {
  await page.goto("/sql");
  await live(page);
  await expect(page.getByRole("heading", { name: "No signals yet" })).toBeVisible();
  await lookOnce(page);
  await write(page, "select 7 as seven");
  await page.getByRole("button", { name: "Saved queries" }).click();
  await page.getByRole("button", { name: "Save query" }).click();
  const dialog = page.getByRole("dialog", { name: "Save query" });
  await dialog.getByLabel("Name").fill("Seven");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog).toBeHidden();
  await write(page, "select 8");
  await page.getByRole("button", { name: "Saved queries" }).click();
  await page.getByRole("button", { name: /^Seven/ }).click();
  await expect(editor(page)).toHaveText("select 7 as seven");
  await page.getByRole("button", { name: "Saved queries" }).click();
  await page.getByRole("button", { name: "Delete query Seven" }).click();
  await expect(page.getByText("No queries yet.", { exact: false })).toBeVisible();
});
