import type { Locator, Page } from "@playwright/test";
import { annotateYard, inDatabase, readDatabase } from "./data-loop";
import { expect, inEveryLook, live, lookOnce, test, widths, type Api } from "./fixtures";
import { addItemRows } from "./item-rows";
import { makePictures, type MadeDataset } from "./pictures";

const href = ({ owner_name: owner, slug }: MadeDataset, query = ""): string => `/datasets/${owner}/${slug}${query}`;
const grid = (page: Page): Locator => page.getByRole("grid", { name: "Items" });
const cell = (page: Page, name: RegExp | string): Locator => page.getByRole("gridcell", { name });

async function open(page: Page, dataset: MadeDataset, query = ""): Promise<void> {
  await page.goto(href(dataset, query));
  await live(page);
  // Cells are there before their items, which keys act on.
  await expect(cell(page, /\.png/).first()).toBeVisible();
}

/** Scrolls the grid as a drag of its scrollbar does, to a share of its length. */
const dragTo = (page: Page, share: number): Promise<void> =>
  grid(page).evaluate((element, to) => {
    element.scrollTop = (element.scrollHeight - element.clientHeight) * to;
  }, share);

async function manyItems(api: Api, request: Parameters<typeof makePictures>[1], count: number): Promise<MadeDataset> {
  const dataset = await makePictures(api, request, { names: ["a-first.png"] });
  await addItemRows(dataset, count);
  return dataset;
}

test("a hundred thousand items have a scrollbar as long as they are, any place is there soon, and the address keeps it @full", async ({
  api,
  request,
  page,
}) => {
  const dataset = await manyItems(api, request, 99_999);
  await open(page, dataset, "?ordering=key");
  await expect(page.getByRole("tabpanel", { name: "Items" }).getByText("100,000 items")).toBeVisible();
  await expect(cell(page, "a-first.png")).toBeVisible();
  await expect(cell(page, "a-first.png").locator("img")).toBeVisible();

  await dragTo(page, 0.5);
  await expect(cell(page, /item-(49|50)\d{3}\.png/).first()).toBeVisible();
  await expect.poll(() => page.getByRole("gridcell").count()).toBeLessThan(400);
  await expect(page).toHaveURL(/[?&]at=[0-9a-f-]{36}/);
  const place = page.url();

  await page.goto("/datasets");
  await live(page);
  await page.goBack();
  await live(page);
  await expect(cell(page, /item-(49|50)\d{3}\.png/).first()).toBeVisible();
  await expect(page).toHaveURL(place);
  // So does the address in another tab.
  const tab = await page.context().newPage();
  await tab.goto(place);
  await expect(cell(tab, /item-(49|50)\d{3}\.png/).first()).toBeVisible();
  await tab.close();

  // However fast the wheel turns, no picture is broken.
  await grid(page).hover();
  let broken = 0;
  for (let turn = 0; turn < 20; turn++) {
    await page.mouse.wheel(0, 5_000);
    broken += await grid(page)
      .locator("img")
      .evaluateAll(
        (all) =>
          all.filter((img) => (img as HTMLImageElement).complete && !(img as HTMLImageElement).naturalWidth).length,
      );
  }
  expect(broken).toBe(0);
  await expect(grid(page).locator("img").first()).toBeVisible();

  // Another order begins at its first item.
  await page.getByRole("combobox", { name: "Order" }).click();
  await page.getByRole("option", { name: "Name, Z to A" }).click();
  await expect(cell(page, "item-99999.png")).toBeVisible();

  // All of them are chosen by a key, or those of a filter, which alone are changed.
  await grid(page).focus();
  await page.keyboard.press("Control+A");
  const selection = page.getByRole("toolbar", { name: "Selection" });
  await expect(selection).toContainText("All 100,000 that match");
  await page.keyboard.press("Escape");
  const box = page.getByRole("textbox", { name: "Filter items" });
  await box.click();
  await page.keyboard.type("key >= item-00001.png AND key <= item-00084.png");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main").getByText("84 items", { exact: true })).toBeVisible();
  await grid(page).focus();
  await page.keyboard.press("Control+A");
  await expect(selection).toContainText("All 84 that match");
  const readOthers = () =>
    readDatabase(
      `select md5(string_agg(key || (metadata - 'wet')::text, '' order by key)) as sum,
        count(*) filter (where metadata->>'wet' = 'yes')::int as wet,
        count(*) filter (where metadata->>'wet' = 'yes' and key between 'item-00001.png' and 'item-00084.png')::int as chosen
        from items where dataset_id = $1`,
      [dataset.uid],
    );
  const [before] = await readOthers();
  await selection.getByRole("button", { name: "Set metadata" }).click();
  const dialog = page.getByRole("dialog", { name: "Set metadata of 84 items" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("wet");
  await dialog.getByRole("textbox", { name: "Value" }).fill("yes");
  await dialog.getByRole("button", { name: "Set", exact: true }).click();
  const edits = page.getByRole("list", { name: "Changes to many items" });
  await expect(edits.getByText("Metadata set: 84 of 84 items")).toBeVisible();
  expect(await readOthers()).toEqual([{ sum: before?.sum, wet: 84, chosen: 84 }]);
});

test("items are chosen by keys, in spans, and all that match by a filter", async ({ api, request, page }) => {
  const dataset = await manyItems(api, request, 999);
  await open(page, dataset, "?ordering=key&view=table");
  await grid(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  await expect(cell(page, "item-00001.png")).toHaveAttribute("aria-selected", "true");
  const selection = page.getByRole("toolbar", { name: "Selection" });
  await expect(selection).toContainText("1 item selected");
  for (let step = 0; step < 11; step++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+X");
  await expect(selection).toContainText("12 items selected");
  await page.keyboard.press("Control+A");
  await expect(selection).toContainText("All 1,000 that match");
  await page.keyboard.press("Escape");
  await expect(selection).toHaveCount(0);

  // A span may reach over pages that were never on the screen.
  await page.keyboard.press("Home");
  await page.keyboard.press("x");
  await page.keyboard.press("End");
  await expect(cell(page, "item-00999.png")).toBeVisible();
  await page.keyboard.press("Shift+X");
  await expect(selection).toContainText("1,000 items selected");

  const facets = page.getByRole("complementary", { name: "Facets" });
  await facets.getByRole("checkbox", { name: /^rain/ }).click();
  await expect(page).toHaveURL(/filter_query_string=metadata\.weather\+=\+rain/);
  await expect(page.getByRole("main").getByText("499 items")).toBeVisible();
  await expect(selection).toHaveCount(0);
  await grid(page).focus();
  await page.keyboard.press("Control+A");
  await expect(selection).toContainText("All 499 that match");

  await selection.getByRole("button", { name: "Set metadata" }).click();
  const dialog = page.getByRole("dialog", { name: "Set metadata of 499 items" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("wet");
  await dialog.getByRole("textbox", { name: "Value" }).fill("yes");
  await dialog.getByRole("button", { name: "Set", exact: true }).click();
  const edits = page.getByRole("list", { name: "Changes to many items" });
  await expect(edits.getByText("Metadata set: 499 of 499 items")).toBeVisible();
  const { results } = await api.get<{ results: { key: string; metadata: { weather?: string; wet?: string } }[] }>(
    `${href(dataset)}/items/?limit=1000`,
  );
  const wrong = results.filter(({ metadata }) => (metadata.weather === "rain") !== (metadata.wet === "yes"));
  expect(wrong.map(({ key }) => key)).toEqual([]);
});

test("pictures that left the screen are not loaded, at most five are, and every cell has its colour @full", async ({
  api,
  request,
  page,
}) => {
  const dataset = await manyItems(api, request, 999);
  // Requests for pictures stay open, so that what happens to them does not depend on how fast they are.
  let [asked, aborted] = [0, 0];
  await page.route("**/media/items/*/thumb", () => void asked++);
  page.on("requestfailed", (failed) => {
    if (failed.url().includes("/media/items/")) aborted++;
  });
  await open(page, dataset, "?ordering=key");
  await expect.poll(() => asked).toBe(5);
  await dragTo(page, 1);
  await expect(cell(page, "item-00999.png")).toBeVisible();
  await expect.poll(() => aborted).toBe(5);
  await expect.poll(() => asked).toBe(10);
  const colours = await page
    .getByRole("gridcell")
    .evaluateAll((cells) =>
      cells.map((each) => each.querySelector<HTMLElement>("[style*=background]")?.style.backgroundColor),
    );
  expect(new Set(colours)).toEqual(new Set(["rgb(85, 102, 119)"]));
  await expect(grid(page).locator("img")).toHaveCount(0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a page comes from the server with the colours of its first items", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  const html = await (await page.request.get(href(dataset))).text();
  const { results } = await api.get<{ results: { key: string }[] }>(`${href(dataset)}/items/`);
  expect(html.match(/data-tint="#[0-9a-f]{6}"/g)).toHaveLength(results.length);
});

test("a picture that was seen is not sent again @full", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  await open(page, dataset);
  await expect(grid(page).locator("img")).toHaveCount(3);
  await page.goto("/datasets");
  await open(page, dataset);
  await expect(grid(page).locator("img")).toHaveCount(3);
  const sent = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes("/media/items/"))
      .map((entry) => (entry as PerformanceResourceTiming).transferSize),
  );
  expect(sent).toEqual([0, 0, 0]);
});

test("a busy server is asked again when it says; new items wait behind a pill, and what is deleted keeps its place as gone @full", async ({
  api,
  request,
  page,
  faults,
}) => {
  faults.expect(/status of 429/);
  const dataset = await makePictures(api, request);
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  // Until that was seen, however slow the page is.
  let isBusy = true;
  const refusal = { status: 429, headers: { "retry-after": "2" } };
  await page.route("**/media/items/*/thumb", (route) => (isBusy ? route.fulfill(refusal) : route.fallback()));
  await open(page, dataset);
  await expect(page.getByRole("gridcell")).toHaveCount(3);
  await expect(page.getByText(/^The server is busy\. Pictures load in \d s\.$/)).toBeVisible();
  isBusy = false;
  await expect(grid(page).locator("img")).toHaveCount(3);
  await expect(page.getByRole("timer")).toHaveCount(0);
  await addItemRows(dataset, 2, "late");
  const { results } = await api.get<{ results: { uid: string; key: string }[] }>(`${path}/items/`);
  const first = results.find(({ key }) => key === "front/crossing-0.png");
  await api.delete(`${path}/items/${first?.uid}/`);
  await expect(page.getByRole("button", { name: "2 new" })).toBeVisible();
  await expect(cell(page, "Gone")).toHaveCount(1);
  await expect(page.getByRole("gridcell")).toHaveCount(3);
  await page.getByRole("button", { name: "2 new" }).click();
  await expect(page.getByRole("gridcell")).toHaveCount(4);
  await expect(cell(page, "late-00002.png")).toBeVisible();
  await expect(cell(page, "Gone")).toHaveCount(0);
});

test("a filter that matches nothing names the condition that removes most, and an empty dataset says what fills it", async ({
  api,
  request,
  page,
}) => {
  const dataset = await makePictures(api, request);
  await page.goto(
    href(dataset, `?filter_query_string=${encodeURIComponent("key ~ crossing AND metadata.width > 99999")}`),
  );
  await live(page);
  await expect(page.getByRole("heading", { name: "No items match this filter" })).toBeVisible();
  await page.getByRole("button", { name: "Without metadata.width > 99999: 3" }).click();
  await expect(page.getByRole("gridcell")).toHaveCount(3);
  await expect(page).toHaveURL(/key(%20|\+)~(%20|\+)crossing$/);

  // Nothing can move where nothing is, so that the first items are shown as they come.
  await page.goto(href(dataset, "?filter_query_string=key+~+late"));
  await live(page);
  await expect(page.getByRole("heading", { name: "No items match this filter" })).toBeVisible();
  await addItemRows(dataset, 2, "late");
  await api.patch(`/datasets/${dataset.owner_name}/${dataset.slug}/`, { name: "Yard of late items" });
  await expect(page.getByRole("gridcell")).toHaveCount(2);

  const empty = await api.post<MadeDataset>("/datasets/", { name: "Empty" });
  await page.goto(href(empty));
  await live(page);
  await expect(page.getByRole("heading", { name: "Nothing in it yet" })).toBeVisible();
});

test("an item is opened beside the grid, with its metadata and where it came from", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  const { uid } = await api.post<{ uid: string }>("/fleet/devices/", { name: "arm-12" });
  await inDatabase(
    `update items set metadata = metadata || jsonb_build_object('weather', 'fog', 'source',
      jsonb_build_object('device_id', $2::text, 'device_name', 'arm-12', 'topic', '/camera/front'))
      where dataset_id = $1 and key = 'front/crossing-1.png'`,
    [dataset.uid, uid],
  );
  await open(page, dataset);
  await cell(page, "front/crossing-1.png").click();
  const drawer = page.getByRole("dialog", { name: "front/crossing-1.png" });
  await expect(drawer.getByText("fog")).toBeVisible();
  const chips = drawer.getByRole("list", { name: "Where it came from" });
  await expect(chips).toContainText("/camera/front");
  await expect(chips.getByRole("link", { name: "arm-12" })).toHaveAttribute("href", `/devices/${uid}`);
  await expect(page).toHaveURL(/selected=/);
  await page.keyboard.press("Escape");
  await expect(drawer).toHaveCount(0);

  // A drag selects what its frame touches, and opens nothing.
  await cell(page, "front/crossing-1.png").hover();
  await page.mouse.down();
  await cell(page, "front/crossing-0.png").hover();
  await page.mouse.up();
  const selection = page.getByRole("toolbar", { name: "Selection" });
  await expect(selection).toContainText("2 items selected");
  const link = selection.getByRole("link", { name: "Export items" });
  await expect(link).toHaveAttribute("href", /^\/exports\/new\?datasets=.+&filter_query_string=uid\+IN/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("shapes are drawn over pictures, colour follows label or state, and the grid is readable in every look @full", async ({
  api,
  request,
  page,
}) => {
  const { dataset } = await annotateYard(request, api);
  await open(page, dataset);
  await expect(grid(page).locator("polygon").first()).toBeVisible();
  await page.getByRole("checkbox", { name: "Shapes" }).click();
  await expect(grid(page).locator("polygon")).toHaveCount(0);
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/color_by=label/);
  await expect(grid(page).getByText("car", { exact: true }).first()).toBeVisible();
  await page.keyboard.press("v");
  await expect(page).toHaveURL(/view=table/);
  await lookOnce(page);

  await inEveryLook(page, () => open(page, dataset));
  await page.setViewportSize(widths.desk);
  await cell(page, "front/crossing-1.png").click();
  await expect(page.getByRole("dialog", { name: "front/crossing-1.png" }).getByText("Metadata")).toBeVisible();
  await lookOnce(page);
});

test("a model runs over a dataset, its predictions colour the grid, and the projects of the dataset lead to their items", async ({
  api,
  request,
  page,
}) => {
  const { dataset } = await annotateYard(request, api);
  await page.goto(href(dataset, "?tab=models"));
  await live(page);
  await expect(page.getByRole("heading", { name: "No runs yet" })).toBeVisible();
  await page.getByRole("button", { name: "Run a model" }).click();
  const dialog = page.getByRole("dialog", { name: "Run a model over the dataset" });
  await expect(dialog.getByRole("combobox", { name: "Model" })).toContainText("Standout");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  const runs = page.getByRole("list", { name: "Runs" });
  await expect(runs.getByRole("listitem")).toContainText("Done");
  await lookOnce(page);
  await runs.getByRole("link", { name: "Standout" }).click();
  await expect(page).toHaveURL(/color_by=prediction/);
  await expect(
    grid(page)
      .getByText(/^(object \d|nothing found)/)
      .first(),
  ).toBeVisible();
  await page.getByRole("combobox", { name: "Colour" }).click();
  await page.getByRole("option", { name: "Colour by disagreement" }).click();
  await expect(
    grid(page)
      .getByText(/≠ (object|nothing)$/)
      .first(),
  ).toBeVisible();
  await page.getByRole("checkbox", { name: "Names" }).click();
  await expect(grid(page).getByText("front/crossing-1.png")).toBeHidden();

  await page.getByRole("tab", { name: "Projects" }).click();
  const projects = page.getByRole("list", { name: "Projects" });
  await expect(projects.getByRole("listitem")).toContainText("2 to review, 1 to do");
  await lookOnce(page);
  await projects.getByRole("link").click();
  await expect(page).toHaveURL(/\/projects\/[^/]+$/);
  await page.getByRole("link", { name: /^Items of .* that the project asks for$/ }).click();
  await expect(page).toHaveURL(/filter_query_string=project/);
  await expect(cell(page, /\.png/).first()).toBeVisible();

  // On the page of an item the shapes of one run are drawn, the newest or the chosen one.
  await page.goto(href(dataset, "?tab=models"));
  await page.getByRole("button", { name: "Run a model" }).click();
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await expect(runs.getByRole("listitem").filter({ hasText: "Done" })).toHaveCount(2);
  const { results } = await api.get<{ results: { uid: string }[] }>(href(dataset, "/items/"));
  await page.goto(href(dataset, `/items/${results[0]?.uid}`));
  await expect(page.getByRole("button", { name: "Drawn" })).toHaveCount(1);
  await page.getByRole("button", { name: "Draw", exact: true }).click();
  await expect(page).toHaveURL(/[?&]run=/);
  await expect(page.getByRole("button", { name: "Draw", exact: true })).toHaveCount(1);
});
