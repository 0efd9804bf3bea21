import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { answer, listInputs } from "@/components/testing/network";
import type { Slice } from "./query";
import { SliceFilter } from "./slice-filter";

const slice: Slice = {
  uid: "018f0000-0000-7000-8000-000000000001",
  name: "Robots",
  slug: "robots",
  description: "",
  filter_query_string: "key ~ a AND label = robot",
  item_count: 2_096,
  counted_at: "2026-02-02T09:00:00.000Z",
  week_ago_count: null,
  dataset: "018f0000-0000-7000-8000-000000000002",
  dataset_name: "Yard",
  dataset_slug: "yard",
  dataset_item_count: 6_667,
  data_type: "image",
  owner_name: "own",
  created_by_uid: null,
  created_by: "ana",
  created_at: "2026-02-02T09:00:00.000Z",
  updated_at: "2026-02-02T09:00:00.000Z",
  demo: false,
  export_count: 0,
};
const count = (items: number) =>
  answer("items.count", {
    timed_out: false,
    count: items,
    total: 6_667,
    samples: [],
    conditions: [
      { text: "key ~ a", from: 0, to: 7, alone: 6_000, without: 2_500 },
      { text: "label = robot", from: 12, to: 25, alone: 2_500, without: 6_000 },
    ],
  });
const open = (given: Partial<Slice> = {}) => {
  answer("slices.usedBy", { projects: [], exports: [], export_count: 0, open_export_count: 0 });
  answer("items.vocabulary", { fields: [], values: [], exact: true });
  return show(<SliceFilter slice={{ ...slice, ...given }} />, `/slices/${slice.uid}`);
};

test("a locked filter says what each condition removes, and leaves the count to the page's head and grid", async () => {
  count(2_100);
  const shown = await open();
  const removes = shown.getByRole("table", { name: "What each condition removes" });
  await expect.element(removes).toHaveTextContent("key ~ a6,000400");
  expect(shown.getByText(/^Holds [0-9]/).elements()).toEqual([]);
  await shown.getByRole("button", { name: "Edit" }).click();
  await expect.element(shown.getByRole("status").filter({ hasText: "Holds 2,100 of 6,667 items" })).toBeVisible();
});

test("a filter of one condition is not counted until it is edited", async () => {
  const shown = await open({ filter_query_string: "key ~ a" });
  await expect.element(shown.getByText("key ~ a")).toBeVisible();
  expect(shown.getByRole("table").elements()).toEqual([]);
  expect(listInputs("items.count")).toEqual([]);
});

test("one that holds nothing has the way out of it", async () => {
  count(0);
  const shown = await open({ item_count: 0 });
  await expect.element(shown.getByRole("button", { name: "Without label = robot: 6,000" })).toBeVisible();
});
