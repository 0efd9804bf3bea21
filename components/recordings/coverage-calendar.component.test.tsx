import { useState } from "react";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { useFilters } from "@/components/kit/filters";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { CoverageCalendar } from "./coverage-calendar";

const definitions = ["device_id", "covers", "started_since", "started_until", "demo"].map((key) => ({
  key,
  label: key,
}));

function Screen() {
  const filters = useFilters(definitions);
  const [last, setLast] = useState("2026-01-28");
  return <CoverageCalendar last={last} onLast={setLast} filters={filters} onClose={() => {}} />;
}

const day = (at: number, hours: number, alerts = 0) => ({
  ...{ day: at, seconds: hours * 3600, alerts, worst_severity: alerts > 0 ? ("error" as const) : null },
});
const devices = [
  { uid: "dev_1", name: "Arm C1", days: [day(25, 7.26, 2), day(26, 24), day(27, 1)] },
  { uid: "dev_2", name: "AMR 03", days: [day(27, 0.5)] },
];
const path = "/recordings?calendar=2026-01-28";

async function open() {
  answer("recordings.coverage", { results: devices, next: null, previous: null });
  const screen = await show(<Screen />, path);
  const grid = screen.getByRole("grid", { name: "Hours recorded by device and day" });
  await expect.element(grid).toBeVisible();
  return { screen, grid };
}
const readAddress = () => {
  const query = new URLSearchParams(location.search);
  const [from, to] = query.get("covers")?.split("/") ?? [];
  return [query.get("device_id"), from?.slice(0, 10), to?.slice(0, 10)];
};

test("a cell says its hours and alerts in words, and looks right in both themes and at both widths", async () => {
  const { grid } = await open();
  const cell = grid.getByRole("gridcell", { name: "2026-01-26: 7.3 h recorded, 2 alerts, worst error" });
  await expect.element(cell).toHaveTextContent("7");
  expect(listInputs("recordings.coverage")[0]?.bounds).toHaveLength(29);
  await expectGoodLooks();
});

test("a press narrows the list by device and day, and leaves the other devices in the calendar", async () => {
  const { grid } = await open();
  await grid.getByRole("gridcell", { name: /^2026-01-28: 0.5 h/ }).click();
  await expect.poll(readAddress).toEqual(["dev_2", "2026-01-28", "2026-01-29"]);
  await expect.element(grid.getByRole("gridcell", { name: /^2026-01-27: 24.0 h/ })).toBeVisible();
  expect(listInputs("recordings.coverage").every((input) => input.device_id === undefined)).toBe(true);
});

test("a press takes the place of times that were chosen before, within which nothing of that day began", async () => {
  answer("recordings.coverage", { results: devices, next: null, previous: null });
  const screen = await show(<Screen />, `${path}&started_since=-7d&started_until=-1h`);
  await screen.getByRole("gridcell", { name: /^2026-01-28: 0.5 h/ }).click();
  await expect.poll(readAddress).toEqual(["dev_2", "2026-01-28", "2026-01-29"]);
  expect(location.search).not.toContain("started_");
});

test("arrows move, Shift and arrows extend along a device, and Enter narrows the list", async () => {
  const { grid } = await open();
  grid
    .getByRole("gridcell", { name: /^2026-01-28: 1.0 h/ })
    .element()
    .focus();
  await userEvent.keyboard("{ArrowDown}{ArrowUp}{ArrowLeft}{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}");
  const chosen = grid.getByRole("gridcell", { selected: true });
  await expect
    .poll(() => chosen.elements().map((each) => each.getAttribute("title")?.slice(0, 10)))
    .toEqual(["2026-01-25", "2026-01-26", "2026-01-27"]);
  await userEvent.keyboard("{Enter}");
  await expect.poll(readAddress).toEqual(["dev_1", "2026-01-25", "2026-01-28"]);
});

test("other weeks are a press away", async () => {
  const { screen } = await open();
  await screen.getByRole("button", { name: "Four weeks earlier" }).click();
  await expect.element(screen.getByText("2025-12-04 to 2025-12-31")).toBeVisible();
});

test("what cannot be loaded says so", async () => {
  refuse("recordings.coverage", { status: 500, detail: "Failed." });
  const failed = await show(<Screen />, `${path}&device_id=dev_9`);
  await expect.element(failed.getByText("The coverage could not be loaded")).toBeVisible();
});
