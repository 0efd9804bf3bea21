import type { Locator, Page } from "@playwright/test";
import { openCameras, start } from "./camera-recording";
import { checkAxe, expect, live, lookFirst, test, unique, type Api } from "./fixtures";

interface Dataset {
  uid: string;
  name: string;
  slug: string;
  owner_name: string;
}
interface Item {
  key: string;
  metadata: { format: string; source: { topic: string; t_ns: string; alert_id?: string; recording_id: string } };
}

const makeDataset = (api: Api): Promise<Dataset> => api.post<Dataset>("/datasets/", { name: unique("Yard") });
const listItems = async (api: Api, { owner_name: owner, slug }: Dataset): Promise<Item[]> =>
  (await api.get<{ results: Item[] }>(`/datasets/${owner}/${slug}/items/?limit=1000&ordering=key`)).results;
/** Waits until so many items are there, and read. */
async function expectItems(api: Api, dataset: Dataset, count: number): Promise<Item[]> {
  await expect
    .poll(async () => (await listItems(api, dataset)).filter(({ metadata }) => metadata.format).length)
    .toBe(count);
  return listItems(api, dataset);
}

/** Five seconds of two cameras at 10 Hz, and the alert of a rule that triggers at two seconds. */
async function raiseAlert(api: Api, request: Parameters<typeof openCameras>[1]) {
  const rule = await api.post<{ uid: string }>("/fleet/rules/", {
    name: unique("Cycle failed"),
    condition: { type: "pattern", topic: "/rosout", field: "msg", regex: "cycle 20 failed" },
    actions: [{ type: "flag_for_review", severity: "error" }],
  });
  const recording = await openCameras(api, request, ["/front", "/left", "/rosout"]);
  const { results } = await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?recording_id=${recording}`);
  return { rule: rule.uid, recording, alert: results[0]!.uid };
}

const panel = (page: Page): Locator => page.getByRole("dialog", { name: "Add to dataset" });
const toast = (page: Page, text: RegExp | string): Locator => page.getByRole("listitem").filter({ hasText: text });

/** Opens the panel by its key and chooses a dataset by typing. */
async function openPanel(page: Page, name: string): Promise<void> {
  await expect(panel(page)).toBeHidden();
  await page.keyboard.press("d");
  await panel(page).getByRole("textbox", { name: "Dataset" }).fill(name);
  await expect(panel(page).getByRole("radio", { name: new RegExp(name), checked: true })).toBeVisible();
}

/** Opens the menu of an alert's page, and takes one of its items. */
async function choose(page: Page, name: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Actions for Cycle failed/ }).click();
  // With a last choice, that is an item as well, and the panel is below it.
  await page.getByRole("menuitem", { name }).last().click();
}

test("the panel fits every look, and what is beside its button stays where it is when the last choice becomes known @full", async ({
  page,
  api,
  request,
}) => {
  const { alert, rule } = await raiseAlert(api, request);
  const dataset = await makeDataset(api);
  // What the cameras saw appears on an open page, which it moves.
  await page.goto(`/alerts/${alert}`);
  await expect(page.getByRole("img", { name: "/front, at the moment" })).toBeVisible();
  await lookFirst(page, async () => {
    await page.goto(`/alerts/${alert}`);
    await live(page);
    await choose(page, /^Add to/);
    await expect(panel(page).getByText(/^100 frames from 2 topics/)).toBeVisible();
  });
  await page.keyboard.press("Escape");
  await openPanel(page, dataset.name);
  await expect(panel(page).getByText(/^100 frames from 2 topics, about/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(toast(page, `100 items on their way to ${dataset.name}`)).toBeVisible();

  // Where it is a button of its own, such as above the hits of a rule.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/trpc/**moments.targets*", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/rules/${rule}?tab=hits`);
  const face = page.getByRole("button", { name: /^Add to / });
  await expect(face).toHaveAccessibleName(/^Add to dataset/);
  const before = await face.boundingBox();
  release();
  await expect(face).toHaveAccessibleName(new RegExp(`^Add to ${dataset.name}`));
  expect(await face.boundingBox()).toEqual(before);
  await page.unrouteAll();
});

test("an alert's moment is added by one key, once, and both know of each other; a fresh one is undone", async ({
  page,
  api,
  request,
}) => {
  const { alert, recording } = await raiseAlert(api, request);
  const dataset = await makeDataset(api);
  await page.goto(`/alerts/${alert}`);
  await live(page);
  await openPanel(page, dataset.name);
  const what = panel(page).getByRole("list", { name: "What to add" });
  await expect(what.getByRole("listitem").filter({ hasText: "/front" })).toContainText("10 Hz, 50 frames");
  await expect(what.getByRole("img", { name: "/left in this range" })).toBeVisible();
  await expect(panel(page).getByText(/^100 frames from 2 topics, about/)).toBeVisible();
  await page.keyboard.press("Enter");
  await toast(page, `100 items on their way to ${dataset.name}`).getByRole("button", { name: "Open" }).click();
  await expect(page).toHaveURL(new RegExp(`/datasets/${dataset.owner_name}/${dataset.slug}$`));
  const items = await expectItems(api, dataset, 100);
  expect(items[0]?.metadata.source).toMatchObject({ recording_id: recording, alert_id: alert, topic: "/front" });
  // They are in the grid by themselves, and lead back to the alert.
  await page.getByRole("gridcell", { name: /\.png/ }).first().click();
  const origin = page.getByRole("list", { name: "Where it came from" });
  for (const label of ["Device", "Recording", "Topic"]) await expect(origin).toContainText(label);
  await origin.getByRole("link", { name: /^Alert/ }).click();
  await expect(page).toHaveURL(new RegExp(`/alerts/${alert}$`));
  await expect(page.getByText(`Added to ${dataset.name}`)).toBeVisible();
  await expect(page.getByRole("link", { name: dataset.name, exact: true })).toHaveAttribute(
    "href",
    `/datasets/${dataset.owner_name}/${dataset.slug}`,
  );

  // The same again adds nothing, and says so.
  await openPanel(page, dataset.name);
  await expect(panel(page).getByText(/100 are in it already$/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(toast(page, `Nothing to add: all 100 are in ${dataset.name} already`)).toBeVisible();
  expect(await listItems(api, dataset)).toHaveLength(100);

  // A new dataset is made by naming it; what was added to it is taken back.
  const fresh = unique("Fresh");
  await openPanel(page, fresh);
  await panel(page).getByRole("radio", { name: "First only" }).click();
  await expect(panel(page).getByText(/^2 frames from 2 topics, about/)).toBeVisible();
  await panel(page).getByRole("button", { name: "Add", exact: true }).click();
  const done = toast(page, `2 items on their way to ${fresh}`);
  await done.getByRole("button", { name: "Undo" }).click();
  await expect(toast(page, "The items are taken back")).toBeVisible();
  const { results } = await api.get<{ results: (Dataset & { item_count: number })[] }>(`/datasets/?search=${fresh}`);
  expect(results[0]?.item_count).toBe(0);
  await expect(page.getByText(`Removed from ${fresh}`)).toBeVisible();
});

test("a range marked on the timeline is added at a rate, in the order of time", async ({ page, api, request }) => {
  const recording = await openCameras(api, request, ["/front", "/left"], { truncated: true });
  const dataset = await makeDataset(api);
  await page.goto(`/recordings/${recording}`);
  await live(page);
  for (const key of ["i", "ArrowRight", "o"]) await page.keyboard.press(key);
  await openPanel(page, dataset.name);
  await expect(panel(page).getByText(/^22 frames from 2 topics/)).toBeVisible();
  await panel(page).getByRole("radio", { name: "1 Hz" }).click();
  await expect(panel(page).getByText(/^4 frames from 2 topics/)).toBeVisible();
  await panel(page).getByRole("button", { name: "Add", exact: true }).click();
  await expect(toast(page, `4 items on their way to ${dataset.name}`)).toBeVisible();
  const times = (await expectItems(api, dataset, 4)).map(({ metadata }) => BigInt(metadata.source.t_ns) - start);
  expect(times).toEqual([0n, 1_000_000_000n, 0n, 1_000_000_000n]);

  // So is what is around a gap: the recording ends before its time.
  await page.goto(`/recordings/${recording}?tab=details`);
  await live(page);
  await page.getByRole("button", { name: /^Add what is around the gap at .* to a dataset$/ }).click();
  await panel(page).getByRole("textbox", { name: "Dataset" }).fill(dataset.name);
  await panel(page).getByRole("radio", { name: "First only" }).click();
  await expect(panel(page).getByText(/^2 frames from 2 topics, about/)).toBeVisible();
});

test("all hits of a rule are added together, and the overview counts them as used", async ({ page, api, request }) => {
  const { rule, alert } = await raiseAlert(api, request);
  const other = await openCameras(api, request, ["/front", "/left", "/rosout"]);
  const dataset = await makeDataset(api);
  await page.goto("/overview");
  await live(page);
  await expect(page.getByRole("link", { name: "Alerts in no dataset, 7 days: 2" })).toBeVisible();
  await page.getByRole("button", { name: "Add Cameras to a dataset" }).first().click();
  await expect(panel(page).getByText(/^About 10 frames of 1 moment/)).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto(`/rules/${rule}?tab=hits`);
  await live(page);
  await openPanel(page, dataset.name);
  await expect(panel(page).getByText("About 4 frames of 2 moments")).toBeVisible();
  await checkAxe(page);
  await page.keyboard.press("Enter");
  await expect(toast(page, `4 items on their way to ${dataset.name}`)).toHaveCount(1);
  const items = await expectItems(api, dataset, 4);
  const { results } = await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?recording_id=${other}`);
  const alerts = [alert, results[0]?.uid].flatMap((uid) => [uid, uid]);
  expect(items.map(({ metadata }) => metadata.source.alert_id).sort()).toEqual(alerts.sort());
  await page.goto("/overview");
  await live(page);
  await expect(page.getByRole("link", { name: "Alerts in no dataset, 7 days: 0" })).toBeVisible();
  // The list of alerts shows where it went.
  await page.goto("/alerts");
  await expect(page.getByRole("row", { name: new RegExp(dataset.name) })).toHaveCount(2);
});

test("from an alert, its picture is a task in an active project, or of a new one, in few presses", async ({
  page,
  api,
  request,
}) => {
  const { alert } = await raiseAlert(api, request);
  const dataset = await makeDataset(api);
  const project = await api.post<{ uid: string; name: string }>("/projects/", {
    name: unique("Yard crossings"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "pallet", color: "#2a6fdb" }],
  });
  await page.goto(`/projects/${project.uid}`);
  await page.getByRole("button", { name: "Approve" }).first().click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();

  await page.goto(`/alerts/${alert}`);
  await live(page);
  await choose(page, /^Label these/);
  const dialog = page.getByRole("dialog", { name: "Label these" });
  await expect(dialog.getByRole("radio", { name: new RegExp(project.name), checked: true })).toBeVisible();
  await expect(dialog.getByText("About 2 frames of 1 moment")).toBeVisible();
  await checkAxe(page);
  await page.keyboard.press("Enter");
  await expect(toast(page, `2 items on their way to ${dataset.name}`)).toBeVisible();
  const start = page.getByRole("link", { name: "Start labelling" });
  await expect(start).toBeVisible();
  const items = await expectItems(api, dataset, 2);
  expect(items.map(({ metadata }) => metadata.source.alert_id)).toEqual([alert, alert]);
  await start.click();
  await expect(page).toHaveURL(/\/tasks\/[0-9a-f-]+$/);
  await expect(page.getByRole("application")).toBeVisible();

  // They are there already: nothing is added, and the way to them is the same. Another project begins with them chosen.
  await page.goto(`/alerts/${alert}`);
  await live(page);
  await choose(page, /^Label these/);
  await expect(dialog.getByText(/1 are in it already$/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(start).toBeVisible();
  expect(await listItems(api, dataset)).toHaveLength(2);
  await choose(page, /^Label these/);
  await dialog.getByRole("radio", { name: "New project" }).click();
  const fresh = unique("Failed cycles");
  await dialog.getByRole("textbox", { name: "Dataset" }).fill(fresh);
  await dialog.getByRole("button", { name: "New project" }).click();
  await expect(page).toHaveURL(/\/projects\/new\?dataset=/);
  await expect(page.getByRole("list", { name: "Chosen data" })).toContainText(fresh);
  await expect(page.getByText("2 tasks in 1 batch", { exact: true })).toBeVisible();
});
