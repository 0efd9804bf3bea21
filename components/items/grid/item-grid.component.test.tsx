import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { makeCell, makeViewedItem } from "@/components/testing/items";
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
  answer("items.facets", { timed_out: false, exact: true, facets: [] });
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

test("the drawer shows nested metadata as rows", async () => {
  const { cell, drawer } = await open();
  await cell(0).click();
  await expect.element(drawer.getByText("camera.lens.mm")).toBeVisible();
  await expect.element(drawer.getByText("cam3", { exact: true })).toBeVisible();
  await expect.element(drawer).not.toHaveTextContent("{");
});
