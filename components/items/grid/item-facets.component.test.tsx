import { useState } from "react";
import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import type { Outputs } from "@/components/trpc/client";
import { ItemFacets } from "./item-facets";

type Facet = Extract<Outputs["items"]["facets"], { timed_out: false }>["facets"][number];

const value = (text: string, count: number) => ({ value: text, name: null, count, quoted: false });

const status: Facet = {
  field: "status",
  values: [value("completed", 60), value("customer_approved", 40)],
  range: null,
};
const camera: Facet = {
  field: "metadata.camera.name",
  values: [value("cam1", 70), value("cam3", 30)],
  range: null,
};
/** Whole numbers from 0 to 99, in ranges of five. */
const speed: Facet = {
  field: "metadata.speed",
  values: [],
  range: {
    min: 0,
    max: 99,
    step: 5,
    whole: true,
    bins: Array.from({ length: 20 }, (_, at) => ({ from: at * 5, count: at === 3 ? 24 : 4 })),
  },
};
const narrow: Facet = {
  ...speed,
  range: { min: 10, max: 19, step: 1, whole: true, bins: [{ from: 10, count: 4 }] },
};

beforeEach(() => {
  answer("items.facets", ({ filter }) => ({
    timed_out: false,
    exact: true,
    has_nested: true,
    facets: [status, camera, (filter ?? "").includes("speed") ? narrow : speed],
  }));
});

function Grid({ initial }: { initial: string }) {
  const [filter, setFilter] = useState(initial);
  return (
    <aside aria-label="Facets" className="w-60 px-4">
      <ItemFacets dataset="dat_1" base="" filter={filter} onChange={setFilter} count={100} version="itm_1" />
      <output aria-label="Filter">{filter}</output>
    </aside>
  );
}

const open = async (filter = "") => {
  const shown = await show(<Grid initial={filter} />, "/datasets/own/yard");
  await expect.element(shown.getByRole("group", { name: "Status" })).toBeVisible();
  return {
    shown,
    filter: shown.getByRole("status", { name: "Filter" }),
    from: shown.getByRole("textbox", { name: "speed, from" }),
    to: shown.getByRole("textbox", { name: "speed, to" }),
    bars: shown.getByRole("slider", { name: /^speed:/ }),
  };
};

test("a nested key is split by its values, in the words of the filter", async () => {
  const { shown, filter } = await open();
  await shown.getByRole("group", { name: "camera.name" }).getByRole("checkbox", { name: /cam3/ }).click();
  await expect.element(filter).toHaveTextContent("metadata.camera.name = cam3");
});

test("a second value is added to one that is chosen, whose facet is counted without it", async () => {
  const only = { ...camera, values: [value("cam1", 70)] };
  answer("items.facets", ({ filter }) => ({
    timed_out: false,
    exact: true,
    has_nested: true,
    facets: [status, (filter ?? "").includes("camera") ? only : camera, speed],
  }));
  const { shown, filter } = await open("key ~ a");
  const cameras = shown.getByRole("group", { name: "camera.name" });
  await cameras.getByRole("checkbox", { name: /cam1/ }).click();
  await expect.element(filter).toHaveTextContent("key ~ a AND metadata.camera.name = cam1");
  await cameras.getByRole("checkbox", { name: /cam3/ }).click();
  await expect.element(filter).toHaveTextContent("key ~ a AND metadata.camera.name IN (cam1, cam3)");
});

test("what is chosen is listed, however rare it is", async () => {
  const names = Array.from({ length: 12 }, (_, at) => value(`cam${at}`, 90 - at));
  answer("items.facets", ({ filter }) => ({
    timed_out: false,
    exact: true,
    has_nested: true,
    facets: [
      status,
      { ...camera, values: (filter ?? "").includes("camera") ? [value("cam10", 80), value("cam99", 1)] : names },
      speed,
    ],
  }));
  const { shown } = await open("metadata.camera.name IN (cam10, cam99)");
  const cameras = shown.getByRole("group", { name: "camera.name" });
  await expect.element(cameras.getByRole("checkbox", { name: /cam10/ })).toBeChecked();
  await expect.element(cameras.getByRole("checkbox", { name: /cam99/ })).toBeChecked();
  await expect.element(cameras.getByRole("checkbox", { name: /cam7/ })).not.toBeChecked();
  await expect.element(cameras.getByRole("button", { name: "3 more" })).toBeVisible();
});

test("a state has the word of people and that of the filter", async () => {
  const { shown, filter } = await open("status IN (accepted, rework)");
  const states = shown.getByRole("group", { name: "Status" });
  await expect.element(states.getByRole("checkbox", { name: "submitted completed 60" })).not.toBeChecked();
  // Typed in the words of people, it is the same state.
  const accepted = states.getByRole("checkbox", { name: "accepted customer_approved 40" });
  await expect.element(accepted).toBeChecked();
  await accepted.click();
  await expect.element(filter).toHaveTextContent("status = rework_required");
});

test("a range is typed, either end first, and taken back", async () => {
  const { shown, filter, from, to } = await open("key ~ a");
  await from.fill("10");
  await userEvent.keyboard("{Enter}");
  await expect.element(filter).toHaveTextContent("key ~ a AND metadata.speed >= 10");
  // The box keeps the focus and its text.
  await expect.element(from).toHaveFocus();
  await expect.element(from).toHaveValue("10");
  await to.fill("-2.5");
  await userEvent.keyboard("{Tab}");
  await expect.element(filter).toHaveTextContent("key ~ a AND metadata.speed >= -2.5 AND metadata.speed <= 10");
  await shown.getByRole("button", { name: "Any speed" }).click();
  await expect.element(filter).toHaveTextContent(/^key ~ a$/);
  await expect.element(from).toHaveValue("");
});

test("what is no number is marked, and changes nothing", async () => {
  const { filter, from } = await open();
  await from.fill("fast");
  await userEvent.keyboard("{Enter}");
  await expect.element(from).toHaveAttribute("aria-invalid", "true");
  await expect.element(filter).toHaveTextContent(/^$/);
});

test("a range is chosen by keys, with what it holds as text", async () => {
  const { filter, bars } = await open();
  (bars.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}");
  await expect.element(bars).toHaveAttribute("aria-valuetext", "15 to 19: 24");
  await userEvent.keyboard("{Shift>}{ArrowRight}{/Shift}");
  await expect.element(bars).toHaveAttribute("aria-valuetext", "15 to 24: 28");
  await userEvent.keyboard("{Enter}");
  await expect.element(filter).toHaveTextContent("metadata.speed >= 15 AND metadata.speed <= 24");
});

test("a range is dragged over, and can be widened as it was counted without it", async () => {
  const { filter, bars, shown } = await open();
  const { width } = bars.element().getBoundingClientRect();
  const drag = (from: number, to: number) =>
    userEvent.dragAndDrop(bars, bars, {
      sourcePosition: { x: (width * (from + 0.5)) / 20, y: 30 },
      targetPosition: { x: (width * (to + 0.5)) / 20, y: 30 },
    });
  await drag(2, 3);
  await expect.element(filter).toHaveTextContent("metadata.speed >= 10 AND metadata.speed <= 19");
  await expect.element(bars).toHaveAttribute("aria-valuetext", "10 to 19: 28");
  await expect.element(bars).toHaveAttribute("aria-valuemax", "19");
  // What was counted before the range was chosen is not counted again.
  expect(listInputs("items.facets").map(({ filter: of }) => of)).toEqual([
    "",
    "metadata.speed >= 10 AND metadata.speed <= 19",
  ]);
  await drag(19, 10);
  await expect.element(filter).toHaveTextContent(/^metadata.speed >= 50$/);
  await expect.element(shown.getByRole("textbox", { name: "speed, to" })).toHaveValue("");
});

test("it is said where nested keys took too long, and the others are there", async () => {
  answer("items.facets", { timed_out: false, exact: true, has_nested: false, facets: [status] });
  const { shown } = await open();
  await expect.element(shown.getByText("Counting nested keys takes too long here.")).toBeVisible();
  await expect.element(shown.getByRole("group", { name: "Status" })).toBeVisible();
});

test("looks well with a range", async () => {
  await open("metadata.speed >= 15");
  await expectGoodLooks();
});
