import { deflateSync } from "node:zlib";
import { inDatabase } from "./data-loop";
import { expect, inEveryLook, live, registerDevice, test, reload } from "./fixtures";

/** A drawing, which the browser makes a small PNG of. */
const drawing = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><rect width="600" height="300" fill="#0a7"/></svg>',
);

test("the name is saved in place and can be undone; the address says why it stays", async ({ page, person }) => {
  await page.goto("/settings/organization");
  await live(page);
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("  ");
  await name.press("Enter");
  await expect(page.getByText("This field may not be blank.")).toBeVisible();
  await name.fill("Nordhafen");
  await name.press("Enter");
  await expect(page.getByText("Name saved")).toBeVisible();
  await expect(page.getByRole("button", { name: "Organization: Nordhafen" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();
  await expect(page.getByText(/It does not change: links/)).toBeVisible();
});

test("a logo is made small and shown in the switcher, and removing it can be undone @full", async ({ page }) => {
  await page.goto("/settings/organization");
  await live(page);
  const switcher = page.getByRole("button", { name: /^Organization:/ });
  const pick = async (name: string, mimeType: string, buffer: Buffer) => {
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /^(Upload|Replace)$/ }).click();
    await (await choosing).setFiles({ name, mimeType, buffer });
  };
  await pick("notes.png", "image/png", deflateSync("no picture"));
  await expect(page.getByText("This browser cannot draw that file as a picture.")).toBeVisible();
  await pick("logo.svg", "image/svg+xml", drawing);
  await expect(page.getByText("Logo saved")).toBeVisible();
  const logo = switcher.locator("[data-logo]");
  const measure = () =>
    logo.evaluate(async (element: HTMLElement) => {
      const image = new Image();
      image.src = element.dataset.logo ?? "";
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    });
  expect(await measure()).toEqual([128, 64]);
  await reload(page);
  await live(page);
  expect(await measure()).toEqual([128, 64]);
  await page.getByRole("button", { name: "Remove" }).click();
  await expect(logo).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(logo).toHaveCount(1);
});

test("pictures are sent in messages once an admin confirms it, and that can be undone @full", async ({ page, api }) => {
  await page.goto("/settings/organization");
  await live(page);
  const pictures = page.getByRole("switch", { name: "Send what cameras saw to channels" });
  await expect(pictures).not.toBeChecked();
  await pictures.click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(pictures).not.toBeChecked();
  await pictures.click();
  await page.getByRole("dialog").getByRole("button", { name: "Send pictures" }).click();
  await expect(page.getByText("Pictures in messages saved")).toBeVisible();
  await expect(pictures).toBeChecked();
  const read = async () => {
    const [organization] = (
      await api.get<{ results: { settings: { pictures_in_messages?: boolean } }[] }>("/organizations/")
    ).results;
    return organization?.settings.pictures_in_messages;
  };
  await expect.poll(read).toBe(true);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(pictures).not.toBeChecked();
  await expect.poll(read).toBe(false);
});

test("a shorter life of keys says first how many end sooner @full", async ({ page }) => {
  await page.goto("/settings/organization");
  await live(page);
  const days = page.getByRole("textbox", { name: /Longest life/ });
  await days.fill("0");
  await expect(page.getByText("Enter a number of days from 1 to 3,650.")).toBeVisible();
  await days.fill("30");
  await expect(page.getByText("1 key ends sooner by it. That cannot be undone.")).toBeVisible();
  await page.getByRole("button", { name: "Save limit" }).click();
  await expect(page.getByText("Keys live at most 30 days")).toBeVisible();
  await reload(page);
  await expect(days).toHaveValue("30");
});

test("what a retention would delete is counted before it is saved, and confirmed", async ({ api, page }) => {
  const device = await registerDevice(api);
  const made = await api.post<{ uid: string }>("/fleet/recordings/", { device_id: device.uid });
  await inDatabase(
    `update recordings set uid = 'rec_01900000-0000-7000-8000-' || right(uid, 12), created_at = '2024-06-10',
       status = 'ready', size_bytes = 2000000 where uid = $1`,
    [made.uid],
  );
  await page.goto("/settings/organization");
  await live(page);
  const save = page.getByRole("button", { name: "Save retention" });
  const audit = page.getByRole("textbox", { name: "Audit log, in days" });
  await audit.fill("89");
  await expect(page.getByText("Enter a number of days from 90 to 3,650.")).toBeVisible();
  await audit.fill("120");
  await expect(page.getByText("The next run deletes nothing by it.")).toBeVisible();
  await page.getByRole("textbox", { name: "Recordings, in days" }).fill("30");
  await expect(page.getByText("The next run deletes 1 recording (2.00 MB). That cannot be undone.")).toBeVisible();
  await save.click();
  const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
  await expect(dialog.getByText("1 recording (2.00 MB)")).toBeVisible();
  await dialog.getByRole("button", { name: "Save and delete" }).click();
  await expect(page.getByText("Retention saved")).toBeVisible();
  await reload(page);
  await live(page);
  await expect(page.getByRole("textbox", { name: "Recordings, in days" })).toHaveValue("30");
  await expect(audit).toHaveValue("120");
});

test("the page has its whole height at once, so that a press at its end does not miss @full", async ({
  browser,
  baseURL,
  page,
}) => {
  // Without scripts, the page stays what it is in its first frame.
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  await context.addCookies(await page.context().cookies());
  const first = await context.newPage();
  await first.goto("/settings/organization");
  await expect(first.getByText("0 B in 0 files")).toBeVisible();
  const place = await first.getByRole("button", { name: "Delete organization" }).boundingBox();
  await context.close();
  await page.goto("/settings/organization");
  await live(page);
  expect(await page.getByRole("button", { name: "Delete organization" }).boundingBox()).toEqual(place);
});

test("the storage, its quota and the last run of the retention are shown @full", async ({ api, page }) => {
  const { results } = await api.get<{ results: { uid: string }[] }>("/organizations/");
  const uid = results[0]?.uid;
  await page.goto("/settings/organization");
  await live(page);
  await expect(page.getByText("0 B in 0 files")).toBeVisible();
  await expect(page.getByText(/deletes for everybody: deliveries of webhooks after 30 days/)).toBeVisible();
  await inDatabase("update organizations set quota_bytes = 5000000000 where uid = $1", [uid]);
  await inDatabase(
    `insert into datasets (uid, organization_id, name, slug, data_type, size_bytes, item_count, updated_at)
     values (gen_random_uuid()::text, $1, 'd', 'd', 'image', 4000000000, 7, now())`,
    [uid],
  );
  await inDatabase(
    `insert into retention_runs (organization_id, finished_at, freed)
     values ($1, now(), '{"recordings": 1204, "bytes": 1200000000, "alerts": 1}')`,
    [uid],
  );
  await inEveryLook(page, async () => {
    await page.goto("/settings/organization");
    await live(page);
    await expect(page.getByText("4.00 GB of 5.00 GB used")).toBeVisible();
    await expect(page.getByText(/deleted 1,204 recordings, 1 resolved alert, 1.20 GB of files/)).toBeVisible();
  });
});

test("times are shown in the organization's zone until a person chooses @full", async ({ api, page }) => {
  const device = await registerDevice(api);
  await page.goto("/settings/organization");
  await live(page);
  const zone = page.getByRole("combobox", { name: "Default time zone" });
  await zone.fill("Asia/Tok");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await expect(page.getByText("Time zone saved")).toBeVisible();
  await page.goto(`/devices/${device.uid}?tab=timeline`);
  await live(page);
  await expect(page.getByText(/\d{2}:\d{2}:\d{2} GMT\+9/).first()).toBeVisible();
  const toggle = page.getByRole("button", { name: /Times in/ });
  await expect(toggle).toHaveText(/Org/);
  await toggle.click();
  await expect(toggle).toHaveText(/UTC/);
  await expect(page.getByText(/\d{2}:\d{2}:\d{2} UTC/).first()).toBeVisible();
});

test("is accessible in both themes, on desktop and phone", async ({ page }) => {
  await inEveryLook(page, async () => {
    await page.goto("/settings/organization");
    await live(page);
    await expect(page.getByRole("heading", { name: "General" })).toBeVisible();
  });
});
