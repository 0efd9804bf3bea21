import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import {
  back,
  checkAxe,
  expect,
  inEveryLook,
  live,
  lookAround,
  registerDevice,
  test,
  widths,
  type Api,
  reload,
} from "./fixtures";
import { beginUpload, recordingBytes, uploadFile } from "./recording-files";

const makeRecording = (
  api: Api,
  device: string,
  name: string,
  rest: Record<string, unknown> = {},
): Promise<{ uid: string }> => api.post("/fleet/recordings/", { device_id: device, name, ...rest });

/** Opens the upload dialog of a device. */
async function openUpload(page: Page, device: { uid: string }): Promise<Locator> {
  await page.goto(`/recordings?upload=1&device_id=${device.uid}`);
  await live(page);
  return page.getByRole("dialog", { name: "Upload recordings" });
}

test("a recording's findings are listed, and filters find it by them", async ({ api, page }) => {
  const device = await registerDevice(api, { name: "arm-01" });
  const first = await makeRecording(api, device.uid, "Morning", { tags: ["night"] });
  await makeRecording(api, device.uid, "Evening");
  for (const type of ["error", "error", "anomaly"]) {
    await api.post("/fleet/events/", {
      recording_id: first.uid,
      type,
      label: "slip",
      timestamp: "2026-02-01T10:00:00Z",
    });
  }
  const rows = page.getByRole("table", { name: "Recordings" }).locator("tbody tr");
  await inEveryLook(page, async () => {
    await page.goto("/recordings");
    await expect(rows).toHaveCount(2);
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  await expect(rows.last()).toHaveText(/arm-01.*2 errors.*1 anomaly.*night.*Uploading/);
  await page.goto("/recordings?has_event=anomaly");
  await expect(rows).toHaveCount(1);
  await page.goto("/recordings?has_event=custom&tags=night");
  await expect(page.getByText("Without the filter by has events of some would.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(2);
  const box = page.getByRole("combobox", { name: "Filter recordings" });
  await box.fill("device_id:arm");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`device_id=${device.uid}`));
  await rows.last().click();
  const drawer = page.getByRole("dialog", { name: "Morning" });
  await expect(drawer.getByRole("link", { name: "arm-01" })).toBeVisible();
  await expect(drawer.getByRole("link", { name: "Open timeline" })).toHaveAttribute("href", `/recordings/${first.uid}`);
  await lookAround(page);
});

test("recordings are named, and sorted by when they began, not by their upload", async ({ api, page }) => {
  const device = await registerDevice(api, { name: "press-07" });
  const tags = ["end-of-line", "night-shift", "needs-review"];
  for (const [name, started_at] of [
    ["2026 run", "2026-03-01T08:00:00Z"],
    ["2014 run", "2014-05-06T08:00:00Z"],
    ["2025 run", "2025-01-01T08:00:00Z"],
  ])
    await makeRecording(api, device.uid, name ?? "", { started_at, tags });
  await page.goto("/recordings");
  await live(page);
  const rows = page.getByRole("table", { name: "Recordings" }).locator("tbody tr");
  await expect(rows).toHaveText([/^2026 run/, /^2025 run/, /^2014 run/]);
  const started = page.getByRole("columnheader", { name: "Started" });
  await expect(started).toHaveAttribute("aria-sort", "descending");
  await started.getByRole("button").click();
  await expect(page).toHaveURL(/ordering=started_at/);
  await expect(rows).toHaveText([/^2014 run/, /^2025 run/, /^2026 run/]);
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/ordering=name/);
  await reload(page);
  await live(page);
  await expect(page.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "ascending");
  await expect(rows).toHaveText([/^2014 run/, /^2025 run/, /^2026 run/]);
  await back(page);
  await expect(page).toHaveURL(/ordering=started_at/);

  // No tag is cut while another column has room to spare; without that, the first is still readable.
  const firstTag = rows.first().locator("td .truncate:visible", { hasText: "end-of-line" });
  expect((await firstTag.boundingBox())?.width).toBeGreaterThan(30);
  await page.setViewportSize(widths.desk);
  const cut = await rows
    .first()
    .locator("td:has-text('end-of-line') .truncate")
    .evaluateAll((tagsShown) => tagsShown.filter((tag) => tag.scrollWidth > tag.clientWidth).length);
  expect(cut).toBe(0);
  await checkAxe(page);
});

test("what ran on a day is found by a press in the calendar, and what ran at a time by typing it", async ({
  api,
  page,
}) => {
  const device = await registerDevice(api, { name: "press-08" });
  const [day, other] = ["2026-03-02", "2026-03-05"];
  await makeRecording(api, device.uid, "That day", { started_at: `${day}T12:00:00Z` });
  await makeRecording(api, device.uid, "Another day", { started_at: `${other}T08:00:00Z` });
  await page.goto(`/recordings?calendar=2026-03-08&started_since=${other}T00:00:00Z`);
  await live(page);
  const rows = page.getByRole("table", { name: "Recordings" }).locator("tbody tr");
  await expect(rows).toHaveText([/^Another day/]);
  await page.getByRole("gridcell", { name: new RegExp(`^${day}`) }).click();
  await expect(page).toHaveURL(/covers=2026-03-0/);
  await expect(rows).toHaveText([/^That day/]);
  await checkAxe(page);

  await page.goto("/recordings");
  await live(page);
  const box = page.getByRole("combobox", { name: "Filter recordings" });
  await box.fill(`covers:${other}T08:00Z`);
  await page.keyboard.press("Enter");
  await expect(rows).toHaveText([/^Another day/]);
  await page.getByRole("button", { name: /^Remove filter Covers/ }).click();
  await box.fill("covers:2 mar 2026");
  await page.keyboard.press("Enter");
  await expect(rows).toHaveText([/^That day/]);
});

test("several recordings are tagged, untagged by undo, archived, and deleted after typed confirmation", async ({
  api,
  page,
}) => {
  const device = await registerDevice(api, { name: "arm-01" });
  for (const name of ["A", "B", "C"]) await makeRecording(api, device.uid, name);
  await page.goto("/recordings");
  await live(page);
  const rows = page.getByRole("table", { name: "Recordings" }).locator("tbody tr");
  await expect(rows).toHaveCount(3);
  for (let n = 0; n < 2; n++) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  const bar = page.getByRole("toolbar", { name: "Selected rows" });
  await bar.getByRole("button", { name: "Tag" }).click();
  const dialog = page.getByRole("dialog", { name: "Tag 2 recordings" });
  await dialog
    .getByRole("textbox", { name: "Add" })
    .or(dialog.getByRole("combobox", { name: "Add" }))
    .fill("reviewed,");
  await dialog.getByRole("button", { name: "Save tags" }).click();
  await expect(page.getByRole("row", { name: /reviewed/ })).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("row", { name: /reviewed/ })).toHaveCount(0);
  await bar.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete 2 recordings?" });
  await expect(confirm.getByRole("button", { name: "Delete 2 recordings" })).toBeDisabled();
  await confirm.getByLabel(/Type/).fill("delete 2");
  await confirm.getByRole("button", { name: "Delete 2 recordings" }).click();
  await expect(rows).toHaveCount(1);
});

test("how far an upload is stands in the list, as text and as a bar @full", async ({ api, page, request }) => {
  const device = await registerDevice(api, { name: "arm-01" });
  const { uid } = await makeRecording(api, device.uid, "Half");
  const bytes = recordingBytes(10);
  const paths = ["run_0.mcap", "run_1.mcap"];
  const files = paths.map((path) => ({ path, size_bytes: bytes.length }));
  const session_uid = await beginUpload(api, uid, files);
  await uploadFile(api, request, { uid, session_uid, path: paths[0]!, bytes });
  await page.goto("/recordings");
  await live(page);
  const row = page.getByRole("row", { name: /Half/ });
  await expect(row).toHaveText(/Uploading 50 %/);
  await expect(row.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "50");
  await page.goto(`/recordings/${uid}`);
  await expect(page.getByText("1 of 2 files have arrived.")).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText("0 ms");
});

test.describe("uploading in the browser", () => {
  test("two files as two recordings are followed until they are ready and lead to their timelines", async ({
    api,
    page,
  }) => {
    const device = await registerDevice(api, { name: "arm-01" });
    const dialog = await openUpload(page, device);
    await lookAround(page);
    await dialog.getByLabel("Files to upload").setInputFiles([
      { name: "one.mcap", mimeType: "application/octet-stream", buffer: recordingBytes(10) },
      { name: "two.mcap", mimeType: "application/octet-stream", buffer: recordingBytes(20) },
    ]);
    await expect(dialog.getByRole("combobox", { name: "Whose is it?" })).toHaveValue("arm-01");
    await expect(dialog.getByRole("radio", { name: "One recording per file" })).toBeChecked();
    await dialog.getByRole("button", { name: "Upload 2 recordings" }).click();
    await expect(dialog.getByRole("link", { name: "Open timeline" })).toHaveCount(2);
    await dialog.getByRole("button", { name: "Close" }).first().click();
    await expect(page.getByRole("row", { name: /arm-01.*Ready/ })).toHaveCount(2);
  });

  test("an upload interrupted by a reload resumes with the same file, and refuses another", async ({ api, page }) => {
    const device = await registerDevice(api, { name: "arm-01" });
    const file = { name: "run.mcap", mimeType: "application/octet-stream", buffer: recordingBytes(4_000) };
    // The first bytes never arrive: as over a slow connection during which the page is reloaded.
    await page.route("**/files/upload/**", () => {});
    const dialog = await openUpload(page, device);
    await dialog.getByLabel("Files to upload").setInputFiles([file]);
    await dialog.getByRole("button", { name: "Upload 1 recording" }).click();
    await expect(dialog.getByText(/^0 B of/)).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("muster.uploads"))).toContain("run.mcap");
    page.on("dialog", (each) => void each.accept());
    await reload(page);
    await expect(dialog.getByText(/Interrupted\. Choose run\.mcap again/)).toBeVisible();
    // Not before the reload: the browser would send the held-back bytes, and the upload might finish meanwhile.
    await page.unroute("**/files/upload/**");
    const again = dialog.getByLabel("Files of run");
    await again.setInputFiles([{ ...file, name: "other.mcap", buffer: recordingBytes(5) }]);
    await expect(dialog.getByRole("alert")).toHaveText(/not the files the upload started with/);
    await again.setInputFiles([file]);
    await expect(dialog.getByRole("link", { name: "Open timeline" })).toBeVisible();
    await expect(page.evaluate(() => localStorage.getItem("muster.uploads"))).resolves.toBe("[]");
  });

  test("an upload waits for a lost connection, and cancelling leaves nothing behind @full", async ({
    api,
    page,
    faults,
  }) => {
    faults.expect(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to load resource/);
    const device = await registerDevice(api, { name: "arm-01" });
    let lost = true;
    await page.route("**/files/upload/**", (route) => (lost ? route.abort("internetdisconnected") : route.continue()));
    const dialog = await openUpload(page, device);
    await dialog
      .getByLabel("Files to upload")
      .setInputFiles([{ name: "run.mcap", mimeType: "", buffer: recordingBytes(30) }]);
    await dialog.getByRole("button", { name: "Upload 1 recording" }).click();
    await expect(dialog.getByText("No connection. The upload resumes by itself.")).toBeVisible();
    lost = false;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.waitForURL("**/recordings/rec_*");

    lost = true;
    await openUpload(page, device);
    await dialog
      .getByLabel("Files to upload")
      .setInputFiles([{ name: "second.mcap", mimeType: "", buffer: recordingBytes(31) }]);
    await dialog.getByRole("button", { name: "Upload 1 recording" }).click();
    await expect(dialog.getByText("No connection. The upload resumes by itself.")).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel upload of second" }).click();
    await expect.poll(async () => (await api.get<{ results: unknown[] }>("/fleet/recordings/")).results.length).toBe(1);
  });
});

test("a file that is no recording ends as an error that can be retried @full", async ({ api, page }) => {
  const device = await registerDevice(api, { name: "arm-01" });
  const dialog = await openUpload(page, device);
  await dialog
    .getByLabel("Files to upload")
    .setInputFiles([{ name: "notes.mcap", mimeType: "", buffer: readFileSync("package.json") }]);
  await dialog.getByRole("button", { name: "Upload 1 recording" }).click();
  await page.keyboard.press("Escape");
  const row = page.getByRole("row", { name: /arm-01.*Error/ });
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Retry processing" }).click();
  await expect(page.getByText("Processing started again")).toBeVisible();
});
