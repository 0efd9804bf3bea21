import { readFile } from "node:fs/promises";
import type { Browser, Page } from "@playwright/test";
import { openCameras } from "./camera-recording";
import { checkAxe, expect, Faults, inEveryLook, live, test, widths } from "./fixtures";
import { openAsMember } from "./members";

const findDialog = (page: Page) => page.getByRole("dialog", { name: "Share outside" });

/** Opens the dialog from the header of a recording. */
async function openDialog(page: Page, uid: string): Promise<void> {
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("menuitem", { name: "Share outside …" }).click();
  await expect(findDialog(page)).toBeVisible();
}

/** A page of somebody without an account; what fails on it fails the test. */
async function openVisitor(browser: Browser): Promise<{ page: Page; faults: Faults }> {
  const page = await (await browser.newContext()).newPage();
  const faults = new Faults();
  faults.watch(page);
  return { page, faults };
}

test("a range is shared with somebody without an account, who downloads it until the link is revoked", async ({
  page,
  browser,
  api,
  request,
}) => {
  const uid = await openCameras(api, request, ["/front", "/left"]);
  await openDialog(page, uid);
  const dialog = findDialog(page);
  await expect(dialog.getByLabel("From, UTC")).toBeFocused();
  await dialog.getByLabel("From, UTC").fill("2026-02-02 02:40:01");
  await dialog.getByLabel("To, UTC").fill("2026-02-02 02:40:02");
  await dialog.getByLabel("Note").fill("Look at the left camera.");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = (await dialog.getByLabel("Link", { exact: true }).textContent()) ?? "";
  expect(link).toMatch(/\/share\/[\w-]{43}$/);
  await expect(dialog.getByText("not opened yet")).toBeVisible();
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();

  const visitor = await openVisitor(browser);
  const { pathname } = new URL(link);
  await inEveryLook(visitor.page, async () => {
    const response = await visitor.page.goto(pathname);
    expect(response?.status()).toBe(200);
    expect(response?.headers()["referrer-policy"]).toBe("no-referrer");
    expect(response?.headers()["x-robots-tag"]).toContain("noindex");
    expect(response?.headers()["cache-control"]).toContain("no-store");
    await expect(visitor.page.getByRole("heading", { level: 1, name: "Cameras" })).toBeVisible();
    await expect(visitor.page.getByText("Look at the left camera.")).toBeVisible();
  });
  await visitor.page.setViewportSize(widths.desk);
  const stills = visitor.page.getByRole("img", { name: /^\/(front|left), / });
  await expect(stills).toHaveCount(12);
  await expect
    .poll(() => stills.evaluateAll((all) => all.every((image) => (image as HTMLImageElement).naturalWidth > 0)))
    .toBe(true);
  await expect(visitor.page.getByRole("link", { name: /Open in/ })).toHaveCount(0);
  const [download] = await Promise.all([
    visitor.page.waitForEvent("download"),
    visitor.page.getByRole("link", { name: "Download MCAP" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Cameras 2026-02-02T02-40-01Z.mcap");
  expect((await readFile(await download.path())).subarray(1, 5).toString()).toBe("MCAP");
  // The rest of the organization is behind the sign-in.
  await visitor.page.goto(`/recordings/${uid}`);
  await visitor.page.waitForURL("**/login?**");

  await openDialog(page, uid);
  await expect(dialog.getByText(/^opened \d+ times?, last/)).toBeVisible();
  await dialog.getByRole("button", { name: /^Revoke the link/ }).click();
  await page.getByRole("button", { name: "Revoke link" }).click();
  await expect(dialog.getByText("None.")).toBeVisible();

  visitor.faults.expect(/status of 404/);
  for (const gone of [pathname, `/share/${"x".repeat(43)}`, "/share/x"]) {
    expect((await visitor.page.goto(gone))?.status()).toBe(404);
    await expect(visitor.page.getByRole("heading", { level: 1, name: "This link no longer works" })).toBeVisible();
  }
  await checkAxe(visitor.page);
  expect(visitor.faults.unexpected).toEqual([]);
  await visitor.page.context().close();
});

test("the link for members is copied from the same menu, and who can only view shares nothing outside", async ({
  page,
  browser,
  api,
  request,
}) => {
  const uid = await openCameras(api, request, ["/front"]);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy link for members" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  const viewer = await openAsMember(browser, request, api, true);
  await viewer.goto(`/recordings/${uid}`);
  await live(viewer);
  await viewer.getByRole("button", { name: "Share", exact: true }).click();
  await expect(viewer.getByRole("menuitem", { name: "Share outside …" })).toHaveAttribute("aria-disabled", "true");
  await expect(viewer.getByText("You can only view.")).toBeVisible();
  await viewer.context().close();
});
