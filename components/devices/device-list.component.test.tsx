import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { DeviceList } from "@/components/devices/device-list";
import type { DeviceRow, MetricReading } from "@/components/devices/query";
import type { Metric } from "@/components/health/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { resolveMeaning } from "@/domain/health/meanings";
import { DeviceOverview } from "@/server/features/devices/resource";
import { OrganizationResource } from "@/server/features/organizations/resource";

const path = "/devices";
const nothing = { results: [], next: null, previous: null };
const silent = { info: 0, warning: 0, error: 0, critical: 0 };

const device = (uid: string, name: string, change: Partial<DeviceRow> = {}): DeviceRow => ({
  ...sample(DeviceOverview, { uid, name, type: "arm", status: "online", demo: false, tags: [], group_ids: [] }),
  ...{ last_seen_at: new Date().toISOString(), last_recording_at: null, open_alerts: 0, worst_severity: null },
  ...{ open_by_severity: silent, metadata: {}, metrics: {}, readings: [], metrics_at: null, ...change },
});

const list = (...results: DeviceRow[]) => answer("fleet.devices", { ...nothing, results });

beforeEach(() => {
  answer("devices.vocabulary", { types: ["arm"], tags: [], firmware: [] });
  answer("groups.list", nothing);
  answer("health.columns", { chosen: null, columns: [{ name: "battery", label: "Battery" }], sortable: true });
  answer("fleet.firmware", []);
});

test("open alerts are counted by severity, and each number leads to them in the inbox", async () => {
  const open_by_severity = { ...silent, critical: 1, error: 2 };
  list(
    device("dev_a", "Arm C1", { open_alerts: 3, worst_severity: "critical", open_by_severity }),
    device("dev_b", "Arm C2", { open_alerts: 100, worst_severity: "info", open_by_severity: { ...silent, info: 100 } }),
    device("dev_c", "Arm C3"),
  );
  const screen = await show(<DeviceList />, path);
  const row = screen.getByRole("row", { name: /Arm C1/ });
  await expect
    .element(row.getByRole("link", { name: "1 open critical alert of Arm C1" }))
    .toHaveAttribute("href", "/alerts?device_id=dev_a&severity=critical");
  await expect
    .element(row.getByRole("link", { name: "2 open error alerts of Arm C1" }))
    .toHaveAttribute("href", "/alerts?device_id=dev_a&severity=error");
  await expect.element(row.getByRole("link", { name: /warning|info/ })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("link", { name: "100+ open info alerts of Arm C2" })).toHaveTextContent("100+");
  await expectGoodLooks();
});

const battery = (text: string, judgement: MetricReading["judgement"]): Partial<DeviceRow> => ({
  readings: [{ name: "battery", label: "Battery", text, judgement }],
  metrics_at: new Date().toISOString(),
});

test("metrics are columns: a value, how bad it is as a shape and a word, and its age where it is old", async () => {
  const hoursAgo = new Date(Date.now() - 4 * 3_600_000).toISOString();
  list(
    device("dev_a", "Arm C1", battery("61 %", "good")),
    device("dev_b", "Arm C2", { ...battery("9 %", "critical"), status: "offline", metrics_at: hoursAgo }),
    device("dev_c", "Arm C3"),
    device("dev_d", "Arm C4", { ...battery("50 %", "good"), demo: true, metrics_at: hoursAgo }),
  );
  const screen = await show(<DeviceList />, path);
  await expect.element(screen.getByTitle("Battery: 61 %", { exact: true })).toHaveTextContent("61 %");
  const low = screen.getByTitle("Battery: 9 %, critical, sent 4 h ago");
  await expect.element(low).toHaveTextContent("9 %critical4 h ago");
  // The heartbeats of the demo pause while nobody looks.
  await expect.element(screen.getByTitle("Battery: 50 %", { exact: true })).toBeVisible();
  await expectGoodLooks();
});

test("the list is sorted by a metric, the largest first on the second press", async () => {
  list(device("dev_a", "Arm C1", battery("61 %", "good")));
  const screen = await show(<DeviceList />, path);
  const header = screen.getByRole("columnheader", { name: "Battery" });
  await header.getByRole("button").click();
  await expect.element(header).toHaveAttribute("aria-sort", "ascending");
  await header.getByRole("button").click();
  await expect.element(header).toHaveAttribute("aria-sort", "descending");
  expect(listInputs("fleet.devices").map(({ ordering }) => ordering)).toEqual([
    undefined,
    "metric:battery",
    "-metric:battery",
  ]);
  await expect.element(screen.getByRole("row", { name: /Arm C1/ })).toBeVisible();
});

test("where there are too many devices to sort, the header says why", async () => {
  answer("health.columns", { chosen: null, columns: [{ name: "battery", label: "Battery" }], sortable: false });
  list(device("dev_a", "Arm C1", battery("61 %", "good")));
  const screen = await show(<DeviceList />, path);
  const header = screen.getByRole("columnheader", { name: /Battery/ });
  const button = header.getByRole("button", {
    name: /Devices are sorted by a metric only where there are at most 10,000\./,
  });
  await expect.element(button).toHaveAttribute("aria-disabled", "true");
  await button.click({ force: true });
  expect(listInputs("fleet.devices").map(({ ordering }) => ordering)).toEqual([undefined]);
});

const metric = (name: string, sample: number | string): Metric => {
  const { guessed: _, ...meaning } = resolveMeaning(name, [], null, sample);
  return { uid: name, name, ...meaning, guessed: true, sample, devices: 3, meanings: [] };
};

async function openChooser(person: { role?: "member" } = {}) {
  list(device("dev_a", "Arm C1", battery("61 %", "good")));
  answer("health.metrics", ({ search }) => ({
    ...nothing,
    results: [metric("a_load", 3), metric("battery", 0.6), metric("mode", "auto")].filter(({ name }) =>
      name.includes(search ?? ""),
    ),
  }));
  const screen = await show(<DeviceList />, path, person);
  await screen.getByRole("button", { name: "View options" }).click();
  await screen.getByRole("button", { name: "Choose metrics" }).click();
  return screen.getByRole("dialog", { name: "Metrics as columns" });
}

test("admins choose which metrics are columns, in their order, or leave that to the ranks", async () => {
  const dialog = await openChooser();
  await expect.element(dialog.getByRole("checkbox", { name: /Battery/ })).toBeChecked();
  await expectGoodLooks();
  await dialog.getByRole("searchbox", { name: "Search for a metric" }).fill("mode");
  await expect.element(dialog.getByRole("checkbox", { name: /A load/ })).not.toBeInTheDocument();
  await dialog.getByRole("checkbox", { name: /Mode/ }).click();
  await expect.element(dialog.getByRole("status")).toHaveTextContent("2 of at most 6");
  refuse("organizations.update", { status: 403, detail: "You are no admin any more." });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByText("The columns were not saved")).toBeVisible();
  answer("organizations.update", sample(OrganizationResource, {}));
  answer("health.columns", {
    chosen: ["battery", "mode"],
    columns: [
      { name: "battery", label: "Battery" },
      { name: "mode", label: "Mode" },
    ],
    sortable: true,
  });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("organizations.update").at(-1)).toEqual({ settings: { device_metrics: ["battery", "mode"] } });
  await expect.element(page.getByRole("columnheader", { name: "Mode" })).toBeInTheDocument();
});

test("members see which metrics are columns, and why they cannot choose", async () => {
  const dialog = await openChooser({ role: "member" });
  await expect.element(dialog.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
});

test("the drawer of a device begins with how it is now", async () => {
  const open_by_severity = { ...silent, critical: 1 };
  list(device("dev_a", "Arm C1", { open_alerts: 1, worst_severity: "critical", open_by_severity }));
  const now = (name: string, label: string, text: string | null, judgement: MetricReading["judgement"]) => ({
    ...{
      name,
      label,
      unit: "",
      kind: "gauge" as const,
      value: text === null ? null : 1,
      text,
      judgement,
      bounds: { critical_min: null, warning_min: null, warning_max: null, critical_max: null },
      points: null,
      changed_at: null,
    },
  });
  answer("health.now", {
    metrics: [
      now("battery", "Battery", "9 %", "critical"),
      now("cpu", "CPU", null, "unknown"),
      now("disk_free_gb", "Disk free", "84.7 GB", "good"),
      now("mode", "Mode", "auto", "unknown"),
      now("errors", "Errors", "3", "unknown"),
    ],
    since: new Date(Date.now() - 86_400_000).toISOString(),
    style_url: null,
    open_alerts: 1,
    open: { critical: 1, error: 0, warning: 0, info: 0 },
    last_recording: { uid: "rec_a", name: "Pick cycle", started_at: new Date(Date.now() - 60_000).toISOString() },
  });
  const screen = await show(<DeviceList />, path);
  await screen.getByRole("row", { name: /Arm C1/ }).click();
  const head = screen.getByRole("region", { name: "Now" });
  await expect.element(head).toHaveTextContent("Battery9 %criticalDisk free84.7 GBModeautoOpen alerts");
  await expect
    .element(head.getByRole("link", { name: "1 open critical alert of Arm C1" }))
    .toHaveAttribute("href", "/alerts?device_id=dev_a&severity=critical");
  await expect.element(head.getByRole("link", { name: "Pick cycle" })).toHaveAttribute("href", "/recordings/rec_a");
  await expectGoodLooks();
});

test("the drawer of a device that sends no metrics shows none as if they were there", async () => {
  list(device("dev_a", "Arm C1"));
  answer("health.now", {
    metrics: [],
    since: new Date(Date.now() - 86_400_000).toISOString(),
    style_url: null,
    open_alerts: 0,
    open: { critical: 0, error: 0, warning: 0, info: 0 },
    last_recording: null,
  });
  const screen = await show(<DeviceList />, path);
  await screen.getByRole("row", { name: /Arm C1/ }).click();
  await expect
    .element(screen.getByText("None yet. Heartbeats may carry numbers such as battery or disk."))
    .toBeVisible();
  await expect
    .element(screen.getByRole("region", { name: "Now" }))
    .toHaveTextContent(/^Open alerts–NoneLast recording–None$/);
});
