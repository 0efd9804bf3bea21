import type { Page } from "@playwright/test";
import { annotateYard, inDatabase } from "./data-loop";
import { checkAxe, expect, inEveryLook, live, lookAround, reload, test, unique, widths, type Api } from "./fixtures";
import { makePictures } from "./pictures";

interface Slice {
  uid: string;
  name: string;
}

const makeSlice = (api: Api, dataset: string, filter: string, name = unique("slice")): Promise<Slice> =>
  api.post("/slices/", { name, dataset, filter_query_string: filter });

const box = (page: Page) => page.getByRole("textbox", { name: "Filter items" });
const held = (page: Page) => page.getByRole("status").filter({ hasText: /^Holds/ });

test("a slice is made of a filter completed by Tab; a broken one is marked and keeps the count; its page holds the same", async ({
  page,
  api,
  request,
}) => {
  const { dataset } = await annotateYard(request, api);
  await page.goto("/slices");
  await live(page);
  await expect(page.getByRole("heading", { name: "No slices yet" })).toBeVisible();
  await page.keyboard.press("n");
  await page.waitForURL(/\/slices\/new/);
  await expect(page.getByText("Choose a dataset to see what the slice holds.")).toBeVisible();
  await page.getByRole("combobox", { name: "Dataset" }).fill(dataset.name.slice(0, 8));
  await page.getByRole("option", { name: new RegExp(dataset.name) }).click();
  await expect(held(page)).toHaveText("Holds 3 of 3 items");

  await box(page).click();
  await page.keyboard.type("metadata.wid");
  await expect(page.getByRole("option", { name: /^metadata\.width/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type(">= 320 AND (lab");
  // Also before the suggestions are there.
  await page.keyboard.press("Tab");
  await page.keyboard.type("= rob");
  await expect(page.getByRole("option", { name: /^robot.*1/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("OR key ~ crossing-2");
  await page.keyboard.press("Escape");
  await expect(box(page)).toHaveText("metadata.width >= 320 AND (label = robot OR key ~ crossing-2)");
  await expect(held(page)).toHaveText("Holds 2 of 3 items");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Delete");
  await expect(page.locator(".cm-filter-fault")).toHaveText("etadata.width");
  await expect(page.getByText(/^Unknown field "etadata.width"/)).toBeVisible();
  await expect(held(page)).toHaveText("Holds 2 of 3 items before the last change");
  await page.keyboard.type("m");
  await expect(held(page)).toHaveText("Holds 2 of 3 items");

  // Unsaved work survives a reload: it is in the address.
  await lookAround(page);
  await page.getByRole("textbox", { name: "Name" }).fill("Yard robots");
  await expect(page).toHaveURL(/name=Yard/);
  await reload(page);
  await live(page);
  await expect(held(page)).toHaveText("Holds 2 of 3 items");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/slices\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "Yard robots" })).toBeVisible();
  await expect(page.getByText(/Holds 2 of 3 items, counted/)).toBeVisible();
});

test("the filter of a slice is locked until it is edited; another one says what it did, and counts follow by themselves", async ({
  page,
  api,
  request,
}) => {
  const { dataset } = await annotateYard(request, api);
  const slice = await makeSlice(api, dataset.uid, "key ~ crossing AND result = accepted AND key ~ nothing");
  // One that is not finished as long as the test wants.
  const name = unique("nightly");
  const made = await api.post<{ uid: string }>("/exports/", {
    name,
    format: "YOLO",
    datasets: [],
    projects: [],
    slices: [slice.uid],
  });
  const setStatus = (status: string) => inDatabase("update exports set status = $2 where uid = $1", [made.uid, status]);
  await expect.poll(async () => (await api.get<{ status: string }>(`/exports/${made.uid}/`)).status).toBe("failed");
  await setStatus("exporting");
  await page.goto(`/slices/${slice.uid}`);
  await live(page);
  await expect(box(page)).toHaveCount(0);
  // A filter that holds nothing loses the condition that removes most.
  await page.getByRole("button", { name: "Without key ~ nothing: 1" }).click();
  await expect(box(page)).toHaveText("key ~ crossing AND result = accepted");
  await expect(held(page)).toHaveText("Holds 1 of 3 items");
  await lookAround(page);
  // Who takes items from it is said before it is saved.
  const uses = page.getByRole("status").filter({ hasText: "1 export that is not finished takes its items from it" });
  await expect(uses.getByRole("link", { name })).toHaveAttribute("href", `/exports/${made.uid}`);
  await setStatus("exported");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(box(page)).toHaveCount(0);
  const changes = page.getByRole("list", { name: "Changes of the filter" });
  await expect(changes).toContainText("1 item came, 0 left.");
  await expect(page.getByText(/Holds 1 of 3 items, counted/)).toBeVisible();

  // A result that is accepted elsewhere.
  const { results } = await api.get<{ results: { uid: string }[] }>("/tasks/?limit=10");
  const task = results.at(0)?.uid ?? "";
  const { uid } = await api.post<{ uid: string }>(`/tasks/${task}/results/`, { annotations: [] });
  await inDatabase("update results set submitted_by_id = null, submitted_by = 'ada' where uid = $1", [uid]);
  await api.post(`/results/${uid}/accept/`);
  await expect(page.getByText(/Holds 2 of 3 items, counted/)).toBeVisible();
  await expect(page.getByRole("table", { name: "Items that came and left" })).toContainText("+1");

  await page.getByRole("button", { name: `Actions for ${slice.name}` }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.waitForURL(/\/slices\/new/);
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue(`${slice.name} copy`);
  await page.getByRole("button", { name: "Create slice" }).click();
  await page.waitForURL(/\/slices\/[0-9a-f-]{36}$/);
  await page.getByRole("main").getByRole("link", { name: "Export", exact: true }).click();
  await page.waitForURL(/\/exports\/new\?slices=/);
  await expect(page.getByRole("list", { name: "Sources" })).toContainText(`${slice.name} copy`);
});

test("all items of a slice get metadata, which an undo takes back, are copied, and are deleted after typing their number", async ({
  page,
  api,
  request,
}) => {
  const names = ["front/a.png", "front/b.png", "rear/c.png"];
  const dataset = await makePictures(api, request, { names });
  const target = await makePictures(api, request, { names: ["front/b.png"] });
  const slice = await makeSlice(api, dataset.uid, "key ~ front");
  await page.goto(`/slices/${slice.uid}`);
  await live(page);
  await expect(page.getByText(/Holds 2 of 3 items, counted/)).toBeVisible();
  const weather = async () => {
    const path = `/datasets/${dataset.owner_name}/${dataset.slug}/items/`;
    const { results } = await api.get<{ results: { key: string; metadata: { weather?: string } }[] }>(path);
    return results
      .flatMap(({ key, metadata }) => (metadata.weather === undefined ? [] : [`${key} ${metadata.weather}`]))
      .sort();
  };
  await page.getByRole("button", { name: "Set metadata" }).click();
  const dialog = page.getByRole("dialog", { name: "Set metadata of 2 items" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("weather");
  await dialog.getByRole("textbox", { name: "Value" }).fill("rain");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Set", exact: true }).click();
  const edits = page.getByRole("list", { name: "Changes to many items" });
  await expect(edits.getByText("Metadata set: 2 of 2 items")).toBeVisible();
  await expect.poll(weather).toEqual(["front/a.png rain", "front/b.png rain"]);
  await edits.getByRole("button", { name: "Undo" }).click();
  await expect(edits.getByText("Metadata put back: 2 of 2 items")).toBeVisible();
  await expect.poll(weather).toEqual([]);

  await page.getByRole("button", { name: "Copy to" }).click();
  await page.getByRole("combobox", { name: "Into" }).fill(target.name);
  await page.getByRole("option", { name: new RegExp(target.name) }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await expect(edits.getByText(`Copied: 1 of 2 items into ${target.name}, 1 failed`)).toBeVisible();
  await edits.getByText("1 item not changed").click();
  await expect(page.getByRole("list", { name: "Items that were not changed" })).toContainText("front/b.png");
  await checkAxe(page);

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const confirm = page.getByRole("dialog", { name: "Delete 2 items?" });
  await expect(confirm.getByRole("button", { name: "Delete 2 items" })).toBeDisabled();
  await confirm.getByRole("textbox").fill("2");
  await confirm.getByRole("button", { name: "Delete 2 items" }).click();
  await expect(edits.getByText("Deleted: 2 of 2 items")).toBeVisible();
  await expect(page.getByText(/Holds 0 of 1 item/).first()).toBeVisible();
});

test("the list finds slices, and deletes one after asking @full", async ({ page, api, request }) => {
  const dataset = await makePictures(api, request);
  const [front, rear] = [
    await makeSlice(api, dataset.uid, "key ~ front"),
    await makeSlice(api, dataset.uid, "key ~ rear"),
  ];
  const row = (slice: Slice) => page.getByRole("row", { name: new RegExp(slice.name) });
  await inEveryLook(page, async () => {
    await page.goto("/slices");
    await live(page);
    await expect(row(front)).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await expect(row(front)).toContainText("key ~ front");
  await expect(row(front)).toContainText("3");
  await row(rear)
    .getByRole("button", { name: /Actions/ })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete slice" }).click();
  await expect(row(rear)).toHaveCount(0);
  await row(front).click();
  await page.waitForURL(new RegExp(`/slices/${front.uid}`));
  await expect(page.getByText("Nothing uses it yet.")).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto(`/slices/${front.uid}?edit=1`);
    await live(page);
    await expect(held(page)).toHaveText("Holds 3 of 3 items");
  });
});
