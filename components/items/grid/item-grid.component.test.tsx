import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { makeCell, makeViewedItem } from "@/components/testing/items";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";
import { ItemGrid } from "./item-grid";

const cells = Array.from({ length: 12 }, (_, at) => makeCell({ uid: `itm_${at}` }));

const survey = (count: number) => ({
  timed_out: false as const,
  count,
  every: 200,
  anchors: count === 0 ? [] : ["first"],
  newest: "itm_0",
});

beforeEach(() => {
  answer("datasets.runs", { results: [], next: null, previous: null });
  answer("items.survey", survey(cells.length));
  answer("items.window", { rows: cells });
  answer("items.fresh", { count: 0 });
  answer("items.facets", { timed_out: false, exact: true, has_nested: true, facets: [] });
  answer("items.vocabulary", { fields: [], values: [], exact: true });
  answer("items.get", ({ uid }) =>
    makeViewedItem({ uid, metadata: { camera: { name: "cam3", lens: { mm: 8 } }, weather: "rain" } }),
  );
});

async function open() {
  const shown = await show(
    <div className="flex h-full flex-col">
      <ItemGrid source={{ dataset: "dat_1", owner: "own", slug: "yard" }} />
    </div>,
    "/datasets/own/yard",
  );
  const cell = (at: number) => shown.getByRole("gridcell").nth(at);
  await expect.element(cell(0)).toHaveAttribute("data-uid", "itm_0");
  return {
    shown,
    cell,
    selection: shown.getByRole("toolbar", { name: "Selection" }),
    drawer: shown.getByRole("dialog"),
  };
}

test("a press with Ctrl adds to the selection and takes back, one with Shift adds a span", async () => {
  const { cell, selection, drawer } = await open();
  await cell(1).click({ modifiers: ["ControlOrMeta"] });
  await cell(3).click({ modifiers: ["ControlOrMeta"] });
  await expect.element(selection).toHaveTextContent("2 items selected");
  await expect.element(cell(3)).toHaveAttribute("aria-selected", "true");
  await cell(1).click({ modifiers: ["ControlOrMeta"] });
  await expect.element(selection).toHaveTextContent("1 item selected");
  await cell(5).click({ modifiers: ["ControlOrMeta"] });
  await cell(8).click({ modifiers: ["Shift"] });
  await expect.element(selection).toHaveTextContent("5 items selected");
  await expect.element(drawer).not.toBeInTheDocument();
});

test("Ctrl+A selects all that match, also with an item open beside the grid, and marks no text", async () => {
  const { shown, cell, selection, drawer } = await open();
  await cell(2).click();
  await expect.element(drawer).toHaveTextContent("itm_2.png");
  await drawer.getByText("Metadata").click();
  await userEvent.keyboard("{Control>}a{/Control}");
  await expect.element(selection).toHaveTextContent("All 12 that match");
  expect(getSelection()?.toString()).toBe("");
  await expect.element(drawer).toHaveTextContent("itm_2.png");
  // A menu or slider that has the focus has letters of its own, but no chords.
  await selection.getByRole("button", { name: "Clear selection" }).click();
  const order = shown.getByRole("combobox", { name: "Order" });
  for (const control of [order, shown.getByRole("slider", { name: "Size of pictures" })]) {
    (control.element() as HTMLElement).focus();
    await userEvent.keyboard("{Control>}a{/Control}");
    await expect.element(selection).toHaveTextContent("All 12 that match");
    expect(getSelection()?.toString()).toBe("");
    await selection.getByRole("button", { name: "Clear selection" }).click();
  }
});

test("single items and spans are left out of all that match, and taken in again", async () => {
  const { cell, selection } = await open();
  await cell(1).click({ modifiers: ["ControlOrMeta"] });
  await userEvent.keyboard("{Control>}a{/Control}");
  await cell(2).click({ modifiers: ["ControlOrMeta"] });
  await expect.element(selection).toHaveTextContent("11 of 12 that match");
  await expect.element(cell(2)).toHaveAttribute("aria-selected", "false");
  await expect.element(cell(1)).toHaveAttribute("aria-selected", "true");
  await cell(4).click({ modifiers: ["Shift"] });
  await expect.element(selection).toHaveTextContent("9 of 12 that match");
  await cell(3).click({ modifiers: ["ControlOrMeta"] });
  await expect.element(selection).toHaveTextContent("10 of 12 that match");
  await selection.getByRole("button", { name: "Select all 12" }).click();
  await expect.element(selection).toHaveTextContent("All 12 that match");
});

test("Ctrl+A in a field marks what is typed there", async () => {
  const { shown, selection } = await open();
  const box = shown.getByRole("textbox", { name: "Filter items" });
  await box.click();
  await userEvent.keyboard("key ~ a{Control>}a{/Control}");
  await expect.poll(() => getSelection()?.toString()).toContain("key ~ a");
  await expect.element(selection).not.toBeInTheDocument();
});

test("Ctrl+A marks nothing where no item matches", async () => {
  answer("items.survey", survey(0));
  const shown = await show(
    <ItemGrid source={{ dataset: "dat_1", owner: "own", slug: "yard" }} />,
    "/datasets/own/yard",
  );
  await expect.element(shown.getByText("Nothing in it yet")).toBeVisible();
  await userEvent.keyboard("{Control>}a{/Control}");
  expect(getSelection()?.toString()).toBe("");
});

test("on a phone, how items are shown is behind one button, and the pictures begin early", async () => {
  await page.viewport(390, 844);
  const { shown, cell } = await open();
  expect(cell(0).element().getBoundingClientRect().top).toBeLessThan(120);
  expect(shown.getByRole("combobox", { name: "Order" }).elements()).toEqual([]);
  await shown.getByRole("button", { name: "View" }).click();
  await shown.getByRole("combobox", { name: "Order" }).click();
  await shown.getByRole("option", { name: "Name, A to Z" }).click();
  await expect.poll(() => location.search).toContain("ordering=key");
  await expectGoodLooks();
});

test("the drawer shows nested metadata as rows", async () => {
  const { cell, drawer } = await open();
  await cell(0).click();
  await expect.element(drawer.getByText("camera.lens.mm")).toBeVisible();
  await expect.element(drawer.getByText("cam3", { exact: true })).toBeVisible();
  await expect.element(drawer).not.toHaveTextContent("{");
});

test("the drawer shows what people labelled, drawn and counted, in which project and by whom", async () => {
  const box = (label: string, x: number, frame?: number) => ({
    label,
    type: "bbox" as const,
    coordinates: { x, y: 10, width: 20, height: 30, ...(frame !== undefined && { frame }) },
    attributes: {},
  });
  const result = { uid: "res_1", project_name: "Crossings", created_at: "2026-02-02T10:00:00.000Z" };
  answer("items.get", ({ uid }) =>
    makeViewedItem({
      uid,
      annotations_count: 4,
      results: [{ ...result, task_uid: "tsk_1", status: "accepted", annotation_count: 4, submitted_by: "Ana" }],
    }),
  );
  answer("items.annotations", {
    ...result,
    status: "accepted",
    submitted_by: "Ana",
    labels: [{ name: "forklift", color: "#0891b2" }],
    annotations: [box("pallet", 1), box("forklift", 40), box("forklift", 80, 0), box("forklift", 120, 5)],
  });
  const { cell, drawer } = await open();
  await cell(0).click();
  await expect.element(drawer.getByRole("list", { name: "Labels" })).toHaveTextContent("forklift3pallet1");
  await expect.element(drawer.getByText(/^Crossings, accepted, by Ana/)).toBeVisible();
  // On the picture are those of the first frame.
  const drawn = drawer.element().querySelectorAll("polygon");
  expect([...drawn].map((each) => each.getAttribute("points"))).toEqual([
    "1,10 21,10 21,40 1,40",
    "40,10 60,10 60,40 40,40",
    "80,10 100,10 100,40 80,40",
  ]);
});

test("the drawer of an item whose results were rejected shows none", async () => {
  const rejected = { uid: "res_1", task_uid: "tsk_1", project_name: "Crossings", annotation_count: 1 };
  answer("items.get", ({ uid }) =>
    makeViewedItem({
      uid,
      results: [{ ...rejected, status: "rejected", submitted_by: "Ana", created_at: "2026-02-02T10:00:00.000Z" }],
    }),
  );
  const { cell, drawer } = await open();
  await cell(0).click();
  await expect.element(drawer.getByText("State")).toBeVisible();
  await expect.element(drawer.getByText("Labels")).not.toBeInTheDocument();
});

// The last one: what it says stays on the page for a while.
test("more than a filter can leave out is said, and changes nothing", async () => {
  const many = Array.from({ length: 200 }, (_, each) => makeCell({ uid: `itm_${String(each).padStart(32, "0")}` }));
  answer("items.survey", survey(many.length));
  answer("items.window", { rows: many });
  const shown = await show(
    <div className="flex h-full flex-col">
      <ItemGrid source={{ dataset: "dat_1", owner: "own", slug: "yard" }} />
    </div>,
    "/datasets/own/yard",
  );
  const selection = shown.getByRole("toolbar", { name: "Selection" });
  await shown
    .getByRole("gridcell")
    .first()
    .click({ modifiers: ["ControlOrMeta"] });
  await userEvent.keyboard("{Control>}a{/Control}");
  await expect.element(selection).toHaveTextContent("All 200 that match");
  await userEvent.keyboard("x{End}{Shift>}x{/Shift}");
  await expect.element(shown.getByText("So many single items cannot be left out")).toBeVisible();
  await expect.element(selection).toHaveTextContent("199 of 200 that match");
});
