import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { FilterBar } from "./filter-bar";
import { useFilters, type FilterDefinition } from "./filters";

const definitions: readonly FilterDefinition[] = [
  { key: "status", label: "Status" },
  { key: "started_since", label: "Started since", isTime: true },
  { key: "started_until", label: "Started until", isTime: true },
];

function Bar({ of = definitions, textKey }: { of?: readonly FilterDefinition[]; textKey?: string }) {
  return <FilterBar label="Filter" definitions={of} filters={useFilters(of, textKey)} textKey={textKey} />;
}

/** What a field shows, and so the zone that the browser of the tests has, does not matter here. */
const toLocal = (iso: string): string => {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const read = (key: string) => new URLSearchParams(location.search).get(key);

test("times are chosen by fields in the person's zone, and written as filters", async () => {
  const screen = await show(<Bar />, "/recordings?started_since=2026-11-24T14:10:00Z");
  await screen.getByRole("button", { name: "Choose times" }).click();
  const since = screen.getByLabelText("Started since", { exact: true });
  await expect.element(since).toHaveValue(toLocal("2026-11-24T14:10:00Z"));
  await expectGoodLooks();
  await screen.getByLabelText("Started until", { exact: true }).fill(toLocal("2026-11-24T14:00:00Z"));
  await expect.element(screen.getByText("This is not before the end.")).toBeVisible();
  await screen.getByRole("button", { name: "Apply" }).click();
  expect(read("started_until")).toBeNull();
  await screen.getByLabelText("Started until", { exact: true }).fill(toLocal("2026-11-25T09:30:00Z"));
  await screen.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => read("started_until")).toBe("2026-11-25T09:30:00.000Z");
  // What was not changed stays as it was written.
  expect(read("started_since")).toBe("2026-11-24T14:10:00Z");
  await expect.element(screen.getByText(/^2026-11-2[456] \d\d:\d0 /).first()).toBeVisible();
});

test("an emptied field removes its filter, and a relative time stays one until it is changed", async () => {
  const screen = await show(<Bar />, "/recordings?started_since=-7d&started_until=2026-11-24T14:10:00Z");
  await expect.element(screen.getByText("-7d")).toBeVisible();
  await screen.getByRole("button", { name: "Choose times" }).click();
  await screen.getByLabelText("Started until", { exact: true }).fill("");
  await screen.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => read("started_until")).toBeNull();
  expect(read("started_since")).toBe("-7d");
});

test("without filters of time there is nothing to choose", async () => {
  const screen = await show(<Bar of={definitions.slice(0, 1)} />, "/recordings");
  await expect.element(screen.getByRole("combobox", { name: "Filter" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Choose times" }).elements()).toHaveLength(0);
});

test("filters whose name begins with what is typed come before the search, which comes before all others", async () => {
  const screen = await show(<Bar textKey="search" />, "/recordings");
  const options = screen.getByRole("option");
  const box = screen.getByRole("combobox", { name: "Filter" });
  await box.fill("sta");
  const names = () => options.elements().map((each) => each.firstElementChild?.textContent);
  await expect.poll(names).toEqual(["Status", "Started since", "Started until", "Search for “sta”"]);
  await box.fill("arted");
  await expect.poll(names).toEqual(["Search for “arted”", "Started since", "Started until"]);
});

test("a text with a meaning is offered and written as what it means, and one without is not", async () => {
  const covers: FilterDefinition = {
    ...{ key: "covers", label: "Covers", isTime: true },
    read: (text) => (text === "noon" ? "2026-11-24T12:00:00.000Z/2026-11-24T13:00:00.000Z" : null),
  };
  const screen = await show(<Bar of={[covers]} />, "/recordings");
  const box = screen.getByRole("combobox", { name: "Filter" });
  await box.fill("covers:soon");
  expect(screen.getByRole("option").elements()).toHaveLength(0);
  await box.fill("covers:noon");
  await screen.getByRole("option", { name: /^Covers 2026-11-24 .* to 2026-11-24/ }).click();
  await expect.poll(() => read("covers")).toBe("2026-11-24T12:00:00.000Z/2026-11-24T13:00:00.000Z");
  await screen.getByRole("button", { name: "Choose times" }).click();
  await expect.element(screen.getByText(/^Now 2026-11-24 .* to /)).toBeVisible();
});
