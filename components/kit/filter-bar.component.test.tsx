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

function Bar({ of = definitions }: { of?: readonly FilterDefinition[] }) {
  return <FilterBar label="Filter" definitions={of} filters={useFilters(of)} />;
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
