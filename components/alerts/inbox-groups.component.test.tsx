import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { AlertInbox } from "@/components/alerts/alert-inbox";
import type { AlertGroup } from "@/components/alerts/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { DemoStatus } from "@/server/demo/resource";
import { AlertResource } from "@/server/features/alerts/resource";

const nothing = { results: [], next: null, previous: null };
const hours = (recent: readonly number[]) => [...Array.from({ length: 24 - recent.length }, () => 0), ...recent];

const single = sample(AlertResource, {
  ...{ uid: "alt_single", rule_id: "rul_strain", rule_name: "Straining", device_name: "Arm C1", recording_id: null },
  ...{ occurrence_count: 1, status: "open", message: "Effort 74.6 (limit 55)", snoozed_until: null },
});
const group = (members: Partial<AlertGroup>): AlertGroup => ({
  ...{ key: "rul_hot", name: "Motor overheating", count: 7, occurrences: 7, devices: 3, rules: 1, only: null },
  ...{ severity: "critical", newest_at: single.triggered_at, oldest_at: single.triggered_at, newest_uid: "alt_newest" },
  ...{ message: "Motor temperature 86 °C (limit 80 °C)", assignees: [], unassigned: 7, hours: hours([1, 0, 4, 1]) },
  ...{ single: null, ...members },
});
const alone = group({
  key: single.rule_id,
  name: "Straining",
  count: 1,
  newest_uid: single.uid,
  hours: hours([1]),
  single,
});

beforeEach(async () => {
  // Without room for an alert beside the list.
  await page.viewport(900, 800);
  answer("demo.status", sample(DemoStatus, { state: "none", alert_id: null }));
  for (const list of ["devices.list", "groups.list", "members.list", "rules.list"] as const) answer(list, nothing);
  const none = { info: 0, warning: 0, error: 0, critical: 8 };
  const counts = { open: 8, acknowledged: 0, resolved: 0, silenced: 0, snoozed: 0, ceiling: 1_000 };
  answer("alerts.inboxCounts", { ...counts, open_by_severity: none });
  answer("alerts.suggestedGrouping", { by: "rule" });
  answer("alerts.inbox", { ...nothing, newest: null });
  answer("alerts.groups", { results: [group({}), alone], newest: "alt_newest", partial: false });
  // Where there is room, something is shown beside the list.
  refuse("alerts.get", { status: 404, detail: "Not found." });
  answer("moments.marks", []);
  answer("moments.targets", []);
});

test("a storm is one row with its devices, its count and its last day; an alert of its own is an alert", async () => {
  const screen = await show(<AlertInbox />, "/alerts");
  const storm = screen.getByRole("row", { name: /Motor overheating/ });
  await expect.element(storm).toHaveTextContent("Motor overheating · 3 devices");
  await expect.element(storm).toHaveTextContent("×7");
  const line = storm.getByRole("img", { name: "6 alerts in the last 24 hours, at most 4 in one" });
  await expect.element(line.first()).toBeInTheDocument();
  await expect.element(screen.getByRole("row", { name: /Straining/ })).toHaveTextContent("Effort 74.6 (limit 55)");
  await expect.element(screen.getByRole("button", { name: "Expand Motor overheating" })).toBeVisible();
  expect(screen.getByRole("button", { name: /^Expand/ }).elements()).toHaveLength(1);
  await expect.element(screen.getByRole("button", { name: "Grouped by rule" })).toHaveTextContent("By rule");
  await expectGoodLooks();
});

test("the last days of storms are drawn on one scale, which the column says", async () => {
  await page.viewport(1024, 800);
  const small = { key: "rul_small", name: "Battery low", newest_uid: "alt_small", hours: hours([1, 0]), count: 3 };
  const large = { hours: hours([10, 0]), count: 40 };
  answer("alerts.groups", { results: [group(large), group(small)], newest: "alt_newest", partial: false });
  const screen = await show(<AlertInbox />, "/alerts");
  const heights = (label: RegExp) =>
    screen
      .getByRole("img", { name: label })
      .elements()
      .map((line) => (line.querySelector("path") as SVGPathElement).getBBox().height)
      .filter((height) => height > 0);
  await expect.poll(() => heights(/^10 alerts/)).not.toEqual([]);
  expect((heights(/^10 alerts/)[0] ?? 0) / (heights(/^1 alert /)[0] ?? 0)).toBeCloseTo(10, 0);
  await expect
    .element(screen.getByRole("columnheader", { name: "Count" }))
    .toHaveAttribute("title", expect.stringMatching(/on one scale/));
});

test("on a phone a storm begins with its whole severity, and says what happened", async () => {
  await page.viewport(390, 844);
  const screen = await show(<AlertInbox />, "/alerts");
  const storm = screen.getByRole("row", { name: /Motor overheating/ });
  await expect.element(storm.getByText("Critical")).toBeVisible();
  const cell = storm.getByText("Critical").element().closest("td");
  expect(cell?.scrollWidth).toBe(cell?.clientWidth);
  await expect.element(storm.getByText("Motor temperature 86 °C (limit 80 °C)").last()).toBeVisible();
  await expect.element(storm.getByRole("button", { name: "Expand Motor overheating" })).toBeVisible();
});

test("what can be done with ticked rows takes the place of the filters, and the list stays where it is", async () => {
  const screen = await show(<AlertInbox />, "/alerts");
  const table = screen.getByRole("table", { name: "Alerts" });
  await expect.element(table).toBeVisible();
  const getTop = () => table.element().getBoundingClientRect().top;
  const before = getTop();
  await screen.getByRole("checkbox", { name: "Select Straining on Arm C1" }).click();
  const bar = screen.getByRole("toolbar", { name: "Selected rows" });
  await expect.element(bar).toHaveTextContent("1 row selected");
  expect(getTop()).toBe(before);
  const names = bar
    .getByRole("button")
    .elements()
    .map((button) => button.getAttribute("aria-label") ?? button.textContent);
  expect(names).toEqual(["Acknowledge", "Resolve", "Snooze", "Silence", "Assign", "More for the selected", "Clear"]);
  await bar.getByRole("button", { name: "More for the selected" }).click();
  await expect.element(screen.getByRole("menuitem", { name: /^Add to dataset/ })).toBeVisible();
  await expect.element(screen.getByRole("menuitem", { name: "Label these" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("menuitem", { name: "Label these" })).not.toBeInTheDocument();
  await expectGoodLooks();
});

test("the key of training data is for the ticked rows, whichever alert is shown beside them", async () => {
  await page.viewport(1440, 900);
  answer("alerts.suggestedGrouping", { by: null });
  const listed = ["alt_a", "alt_b", "alt_c"].map((uid) => ({
    ...single,
    uid,
    device_name: uid,
    recording_id: "rec_1",
  }));
  answer("alerts.inbox", { ...nothing, results: listed, newest: "alt_c" });
  answer("moments.previewMany", {
    ...{ moments: 2, empty: 0, frames: 2, present: 0, refused: null, max_frames: 1_000, bytes: "0", topics: [] },
  });
  const screen = await show(<AlertInbox />, "/alerts");
  for (const name of ["alt_a", "alt_b"])
    await screen.getByRole("checkbox", { name: `Select Straining on ${name}` }).click();
  await userEvent.keyboard("nn");
  await expect.element(screen.getByRole("region", { name: "Straining on alt_c" })).toBeVisible();
  await userEvent.keyboard("d");
  await expect.element(screen.getByRole("dialog", { name: "Add to dataset" })).toBeVisible();
  await expect
    .poll(() => listInputs("moments.previewMany").map((input) => input.alerts))
    .toContainEqual(["alt_a", "alt_b"]);
});

test("a whole rule and a single alert are not silenced together, and the button says why", async () => {
  const screen = await show(<AlertInbox />, "/alerts");
  await screen.getByRole("checkbox", { name: "Select Straining on Arm C1" }).click();
  const silence = screen.getByRole("toolbar").getByRole("button", { name: "Silence" });
  await expect.element(silence).not.toHaveAttribute("aria-disabled");
  await screen.getByRole("checkbox", { name: "Select all of Motor overheating" }).click();
  await expect.element(silence).toHaveAttribute("aria-disabled", "true");
  await expect.element(silence).toHaveAccessibleDescription(/^A group mutes a whole rule or device/);
});
