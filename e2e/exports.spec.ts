import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { annotateYard, seedExport } from "./data-loop";
import { checkAxe, expect, inEveryLook, live, lookAround, test, unique, widths, type Api, reload } from "./fixtures";
import { makePictures } from "./pictures";

interface Export {
  uid: string;
  name: string;
  status: string;
}

const order = (api: Api, datasets: string[], rest: object = {}): Promise<Export> =>
  api.post("/exports/", {
    name: unique("export"),
    format: "avala-json-external",
    datasets,
    projects: [],
    slices: [],
    ...rest,
  });

const finished = (api: Api, uid: string): Promise<void> =>
  expect.poll(async () => (await api.get<Export>(`/exports/${uid}/`)).status).toBe("exported");

const toast = (page: Page, text: RegExp): Locator => page.getByRole("listitem").filter({ hasText: text });

test("an export is previewed and ordered, a toast on another page says that it is ready, and the file has the hash shown", async ({
  api,
  request,
  page,
}) => {
  const { dataset, project } = await annotateYard(request, api);
  await page.goto("/exports");
  await live(page);
  await expect(page.getByRole("heading", { name: "No exports yet" })).toBeVisible();
  await page.getByRole("link", { name: "New export" }).click();
  await expect(page.getByText("Choose a source to see what the export holds.")).toBeVisible();
  await page.getByRole("combobox", { name: "Datasets, slices and projects" }).fill(dataset.name.slice(0, 8));
  await page.getByRole("option", { name: new RegExp(`${dataset.name}.*dataset, 3 items`) }).click();

  const items = page.getByRole("region", { name: "2 Items" });
  await expect(items.getByText("Holds 3 of 3 items")).toBeVisible();
  await expect(items.getByText("2 without an accepted result")).toBeVisible();
  await expect(items.getByRole("list", { name: "Items" }).getByRole("listitem")).toHaveCount(3);
  const labels = items.getByRole("table", { name: "Shapes per label" });
  await expect(labels.getByRole("row", { name: /robot 3/ })).toBeVisible();
  await expect(labels.getByRole("row", { name: /car 2/ })).toBeVisible();
  await items.getByRole("radio", { name: "Accepted only" }).click();
  await expect(labels.getByRole("row", { name: /car 1/ })).toBeVisible();
  await items.getByRole("radio", { name: "Accepted and undecided ones" }).click();
  await expect(labels.getByRole("row", { name: /car 2/ })).toBeVisible();

  const format = page.getByRole("region", { name: "3 Format" });
  await format.getByText("A ZIP archive").click();
  const losses = format.getByRole("list", { name: "What YOLO cannot hold" });
  await expect(losses).toContainText("2 polygons become boxes");
  await expect(losses).toContainText("1 cuboid left out");
  await expect(losses).toContainText("1 picture that nobody labelled left out");
  await expect(format.getByRole("tabpanel")).toContainText('0: "robot"');
  await format.getByRole("tab", { name: /crossing-0.*txt/ }).click();
  await expect(format.getByRole("tabpanel", { name: /\.txt$/ })).toContainText(/^1 0\.\d+ /);

  // Unsaved work survives a reload: it is in the address.
  await page.getByRole("textbox", { name: "Name" }).fill("Yard crossings");
  await expect(page).toHaveURL(/name=Yard/);
  await reload(page);
  await live(page);
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Yard crossings");
  await expect(page.getByRole("list", { name: "Sources" })).toContainText(dataset.name);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/exports\/[0-9a-f-]{36}$/);
  const uid = page.url().split("/").at(-1) ?? "";
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL(/\/devices$/);
  await expect(toast(page, /Yard crossings is ready.*2 items as YOLO/)).toBeVisible();

  await page.goto(`/exports/${uid}`);
  await live(page);
  await expect(page.getByRole("heading", { name: "Yard crossings" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Classes" }).getByRole("row", { name: /0 robot 2/ })).toBeVisible();
  await expect(page.getByText("2 polygons become boxes")).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("main").getByRole("link", { name: "Download" }).click(),
  ]);
  const hash = createHash("sha256")
    .update(readFileSync(await download.path()))
    .digest("hex");
  await expect(page.getByText(hash, { exact: true })).toBeVisible();
  expect(download.suggestedFilename()).toBe("Yard crossings.zip");
  await page.goto(`/exports/new?projects=${project.uid}&results=accepted`);
  await expect(page.getByText("Holds 3 of 3 items")).toBeVisible();
});

test("the parts of a training set are chosen with the keyboard and show what each will hold", async ({
  api,
  request,
  page,
}) => {
  const { dataset } = await annotateYard(request, api);
  await page.goto(`/exports/new?datasets=${dataset.uid}&format=YOLO`);
  await live(page);
  const format = page.getByRole("region", { name: "3 Format" });
  const parts = format.getByRole("group", { name: "Parts" });
  await expect(parts).toContainText(/Training 80 %.*1 picture/);
  const background = format.getByRole("checkbox", { name: "Pictures that nobody labelled too, as background" });
  await parts.getByRole("spinbutton", { name: "Validation, percent" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("40");
  await page.keyboard.press("Tab");
  await expect(parts.getByRole("spinbutton", { name: "Test, percent" })).toBeFocused();
  await page.keyboard.type("60");
  await expect(parts.getByText("Nothing would be left for training.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toHaveAccessibleDescription(
    "Nothing would be left for training.",
  );
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("20");
  await expect(parts).toContainText(/Training 40 %/);
  await page.keyboard.press("Tab");
  await expect(background).toBeFocused();
  await page.keyboard.press("Space");
  const losses = format.getByLabel("What YOLO cannot hold", { exact: true });
  await expect(losses.getByText("1 picture that nobody labelled is background")).toBeVisible();
  // One of them is a group of its own, so that all three have a picture.
  await expect(parts.getByText("1 picture", { exact: true })).toHaveCount(3);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.waitForURL(/\/exports\/[0-9a-f-]{36}$/);
  await expect(page.getByText("Training 40 %, Validation 40 %, Test 20 %")).toBeVisible();
  await expect(page.getByText("Training 1 · Validation 1 · Test 1")).toBeVisible();
});

test("a filter that cannot be read says where, and one that matches nothing cannot be exported @full", async ({
  api,
  request,
  page,
}) => {
  const dataset = await makePictures(api, request);
  await page.goto(`/exports/new?datasets=${dataset.uid}`);
  await live(page);
  await expect(page.getByText("Holds 3 of 3 items")).toBeVisible();
  const box = page.getByRole("textbox", { name: "Filter items" });
  await box.fill("key ~ crossing-1");
  await expect(page.getByText("Holds 1 of 3 items")).toBeVisible();
  await box.fill("key ~");
  await expect(page.getByText(/Expected a value/)).toBeVisible();
  await box.fill("key = nothing");
  await expect(page.getByText("Holds 0 of 3 items")).toBeVisible();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toHaveAccessibleDescription(
    "No item matches.",
  );
});

test("of seven exports five run and two wait with their place; the next one starts when one is stopped @full", async ({
  api,
  request,
  page,
  person,
}) => {
  const dataset = await makePictures(api, request);
  for (let at = 1; at <= 5; at++)
    await seedExport(person.organizationName, dataset.uid, { name: `Running ${at}`, status: "exporting" });
  const sixth = await order(api, [dataset.uid], { name: "Sixth" });
  await order(api, [dataset.uid], { name: "Seventh" });
  await page.goto("/exports");
  await live(page);
  await expect(page.getByRole("row", { name: /Sixth.*Waiting, next in line/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Seventh.*Waiting, 1 before this/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Running 1.*Exporting 41 %/ })).toBeVisible();

  await page.getByRole("row", { name: /Running 1/ }).click();
  const drawer = page.getByRole("dialog", { name: "Running 1" });
  await expect(drawer.getByText("4,100 of 10,000 items")).toBeVisible();
  await expect(drawer.getByText(/\d items a second/)).toBeVisible();
  await lookAround(page);
  await drawer.getByRole("button", { name: "Stop" }).click();
  await expect(drawer.getByText("It was stopped before it was finished")).toBeVisible();
  await finished(api, sixth.uid);
  // Without a reload.
  await expect(page.getByRole("row", { name: /Sixth.*Ready/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Seventh.*Ready/ })).toBeVisible();
});

test("a failed export shows its reason and is tried again under its uid; an expired one is repeated @full", async ({
  api,
  request,
  page,
  person,
}) => {
  const dataset = await makePictures(api, request);
  await seedExport(person.organizationName, dataset.uid, { name: "Broken", status: "failed" });
  await seedExport(person.organizationName, dataset.uid, { name: "Old", status: "exported" });
  await seedExport(person.organizationName, dataset.uid, { name: "Going on", status: "exporting" });
  await inEveryLook(page, async () => {
    await page.goto("/exports");
    await expect(page.getByRole("row", { name: /Old.*Expired/ })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  const broken = page.getByRole("row", { name: /Broken/ });
  await expect(broken).toContainText("The bucket refused the file: access denied.");
  const key = await broken.getAttribute("data-row");
  await broken.getByRole("button", { name: "Retry Broken" }).click();
  await expect(page.getByRole("row", { name: /Broken.*Ready/ })).toBeVisible();
  expect((await api.get<Export>(`/exports/${key}/`)).status).toBe("exported");

  await page.getByRole("row", { name: /Old.*Expired/ }).click();
  await page.getByRole("dialog", { name: "Old" }).getByRole("button", { name: "Repeat" }).click();
  await expect(page.getByRole("row", { name: /Old.*Ready/ })).toBeVisible();
});

test("exports are found, sorted, repeated and deleted with the keyboard @full", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  const names = ["Alpha", "Beta", "Gamma"];
  for (const name of names) await finished(api, (await order(api, [dataset.uid], { name })).uid);
  await page.goto("/exports?ordering=name");
  await live(page);
  const rows = page.getByRole("table", { name: "Exports" }).locator("tbody tr");
  await expect(rows.first()).toContainText("Alpha");
  await page.goto("/exports?search=ta");
  await expect(rows).toHaveCount(1);
  await page.goto("/exports?search=nothing&status=exported");
  await expect(page.getByText("Without the filter by search some would.")).toBeVisible();
  await page.goto("/exports");
  await live(page);
  await expect(rows).toHaveCount(3);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await page.getByRole("toolbar", { name: "Selected rows" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 2 exports" }).click();
  await expect(rows).toHaveCount(1);
  // Keys are the dialog's until it is gone.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("n");
  await page.waitForURL(/\/exports\/new/);
});

test("a phone shows the wizard a step at a time @full", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/exports/new");
  await live(page);
  await expect(page.getByText("1 of 4")).toBeVisible();
  await expect(page.getByRole("heading", { name: "2 Items" })).toBeHidden();
  await page.getByRole("combobox", { name: "Datasets, slices and projects" }).fill(dataset.name);
  await page.getByRole("option", { name: new RegExp(dataset.name) }).click();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("Holds 3 of 3 items")).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  // Steps taken within 50 ms are one entry of the history.
  await page.waitForURL(/step=3/);
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL(/step=4/);
  await page.goBack();
  await expect(page.getByText("3 of 4")).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.waitForURL(/\/exports\/[0-9a-f-]{36}$/);
});

test("a page and the wizard are accessible in both themes, on desktop and phone", async ({ api, request, page }) => {
  const { dataset } = await annotateYard(request, api);
  const { uid } = await order(api, [dataset.uid], { name: "Yard crossings", format: "YOLO" });
  await finished(api, uid);
  await inEveryLook(page, async () => {
    await page.goto(`/exports/${uid}`);
    await expect(page.getByRole("table", { name: "Classes" })).toBeVisible();
  });
  await page.goto(`/exports/new?datasets=${dataset.uid}&format=YOLO&step=3`);
  await live(page);
  await expect(page.getByRole("group", { name: "Parts" })).toContainText("1 picture");
  await lookAround(page);
  await inEveryLook(page, async () => {
    await page.goto(`/exports/new?datasets=${dataset.uid}&format=YOLO&step=2`);
    await live(page);
    await expect(page.getByText("Holds 3 of 3 items")).toBeVisible();
  });
  // What the export holds stays legible while it is being counted anew.
  const labels = page.getByRole("table", { name: "Shapes per label" });
  await expect(labels).toBeVisible();
  await page.route(/exports\.preview/, () => {});
  await page.getByRole("textbox", { name: "Filter items" }).fill("key ~ crossing-1");
  await expect(page.locator("[aria-busy=true]").filter({ has: labels })).toBeVisible();
  await checkAxe(page, "colour");
});
