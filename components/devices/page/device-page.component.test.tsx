import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { DevicePage } from "@/components/devices/page/device-page";
import type { DeviceNow, MetricNow } from "@/components/devices/query";
import type { Series } from "@/components/health/metric-columns";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { formatMetric, judge, type MetricValue, resolveMeaning } from "@/domain/health/meanings";
import { AlertResource } from "@/server/features/alerts/resource";
import { DeviceResource } from "@/server/features/devices/resource";

const uid = "dev_00000000-0000-7000-8000-000000000001";
const nothing = { results: [], next: null, previous: null };
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const since = ago(24 * 60);
const points = [5, 4, 3, 2, 1].map((hours): [string, number, number, number] => [ago(hours * 60), 0.3, 0.35, 0.4]);

const metric = (name: string, value: MetricValue | null): MetricNow => {
  const { guessed: _, rank: __, ...meaning } = resolveMeaning(name, [], null, value);
  return {
    ...{ name, value, ...meaning },
    text: value === null ? null : formatMetric(value, meaning),
    judgement: value === null ? "unknown" : judge(value, meaning),
    points: typeof value === "number" ? points : null,
    changed_at: typeof value === "string" || typeof value === "boolean" ? ago(180) : null,
  };
};

/** What the server says of a device with these metrics, online since five seconds. */
function stage(metrics: MetricNow[], members: Partial<DeviceNow> = {}) {
  const device = sample(DeviceResource, { uid, name: "amr-01", status: "online", last_seen_at: ago(0.1), type: "amr" });
  answer("devices.get", device);
  answer("health.now", {
    ...{ metrics, since, style_url: null, open_alerts: 0, last_recording: null },
    open: { info: 0, warning: 0, error: 0, critical: 0 },
    ...members,
  });
  answer("alerts.inbox", { ...nothing, newest: null });
  answer("fleet.changes", nothing);
  answer("fleet.picture", null);
  answer("robotDescriptions.ofDevice", null);
  return device;
}
const open = (address = `/devices/${uid}`) => show(<DevicePage uid={uid} />, address);

const robot = () => [
  metric("battery", 0.35),
  metric("cpu", 0.95),
  metric("disk_free_gb", 84.7),
  metric("mode", "auto"),
  metric("charging", true),
  metric("memory", null),
];

test("the head says in one line how the robot is, what is open and what it recorded last", async () => {
  const open_alerts = 3;
  stage(robot(), {
    open_alerts,
    open: { info: 0, warning: 2, error: 0, critical: 1 },
    last_recording: { uid: "rec_1", name: "night run", started_at: ago(4) },
  });
  const screen = await open();
  await expect.element(screen.getByRole("heading", { name: "amr-01", level: 1 })).toBeVisible();
  const metrics = screen.getByRole("list", { name: "Metrics", exact: true });
  await expect.element(metrics).toHaveTextContent("35 % charging·CPU 95 %·84.7 GB free");
  const alerts = screen.getByRole("link", { name: "1 critical, 2 warning alerts open" });
  await expect.element(alerts).toHaveAttribute("href", `/devices/${uid}?tab=alerts`);
  await expect
    .element(screen.getByRole("link", { name: "Recorded 4 m ago" }))
    .toHaveAttribute("href", "/recordings/rec_1");
  await expectGoodLooks();
});

test("a card says a value with its range in words, a state since when, and what the last heartbeat left out", async () => {
  stage(robot());
  const screen = await open();
  await expect.element(screen.getByRole("tab", { name: "Now" })).toHaveAttribute("aria-selected", "true");
  await expect.element(screen.getByRole("button", { name: /^Battery/ })).toHaveTextContent("35 %In range");
  await expect.element(screen.getByRole("button", { name: /^CPU/ })).toHaveTextContent("95 %Out of range");
  await expect.element(screen.getByRole("button", { name: /^Mode/ })).toHaveTextContent("autosince 3 h ago");
  await expect.element(screen.getByRole("button", { name: /^Memory/ })).toHaveTextContent("Not in the last heartbeat");
  await expect.element(screen.getByText("No alert is open.")).toBeVisible();
  await expect.element(screen.getByText("Nothing since the device was registered.")).toBeVisible();
  await expect.element(screen.getByRole("heading", { name: "Newest picture" })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("heading", { name: "Place" })).not.toBeInTheDocument();
});

test("more than six metrics wait behind a button", async () => {
  stage([...robot(), metric("a1", 1), metric("a2", 2)]);
  const screen = await open();
  await expect.element(screen.getByRole("button", { name: /^Battery/ })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: /^A2/i })).not.toBeInTheDocument();
  await screen.getByRole("button", { name: "Show all 8" }).click();
  await expect.element(screen.getByRole("button", { name: /^A2/i })).toBeVisible();
});

test("a device that sends no metrics says how it would, with its own address and nothing drawn", async () => {
  stage([]);
  const screen = await open();
  await expect.element(screen.getByRole("heading", { name: "It sends no metrics" })).toBeVisible();
  const command = screen.getByLabelText("curl", { exact: true });
  await expect.element(command).toHaveTextContent(`${location.origin}/api/v1/fleet/devices/${uid}/heartbeat/`);
  await expect.element(screen.getByRole("list", { name: "Metrics", exact: true })).not.toBeInTheDocument();
  await expectGoodLooks();
});

test("what changed reads as sentences, newest first, and more of it is loaded", async () => {
  stage(robot());
  const change = { uid: "1", at: ago(1), by: "", before: null };
  const edit = { ...change, kind: "edit", by: "ada", before: { tags: ["lab"], name: "amr" } } as const;
  answer("fleet.changes", ({ cursor }) =>
    cursor === undefined
      ? {
          ...{ next: "more", previous: null },
          results: [
            { ...change, kind: "status", by: "heartbeat", after: { status: "online" } },
            { ...edit, uid: "2", after: { tags: ["lab", "night"], name: "amr-01" } },
          ],
        }
      : {
          ...nothing,
          results: [
            {
              ...{ ...change, uid: "3", kind: "firmware" },
              ...{ before: { firmware_version: "1.0" }, after: { firmware_version: "1.1" } },
            },
          ],
        },
  );
  const screen = await open();
  const rows = screen.getByRole("list", { name: "Changes" });
  await expect.element(rows).toHaveTextContent("Online, heartbeat");
  await expect.element(rows).toHaveTextContent("Name amr → amr-01; Tags: added night, by ada");
  await screen.getByRole("button", { name: "Load more" }).click();
  await expect.element(rows).toHaveTextContent("Firmware 1.0 → 1.1");
});

test("the worst open alerts are listed with their severity in words, and lead to themselves", async () => {
  stage(robot());
  const alert = sample(AlertResource, { uid: "alr_1", severity: "critical", rule_name: "Battery low", message: "9 %" });
  answer("alerts.inbox", { ...nothing, results: [alert], newest: null });
  const screen = await open();
  const link = screen.getByRole("list", { name: "Open alerts" }).getByRole("link");
  await expect.element(link).toHaveTextContent("CriticalBattery low 9 %");
  await expect.element(link).toHaveAttribute("href", "/alerts/alr_1");
  expect(listInputs("alerts.inbox")[0]).toMatchObject({ tab: "open", device_id: uid });
});

test("a part that cannot be loaded says so, and the rest stays", async () => {
  stage(robot());
  refuse("alerts.inbox", { status: 403, detail: "Refused." });
  const screen = await open();
  await expect.element(screen.getByRole("heading", { name: "The alerts could not be loaded" })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: /^Battery/ })).toBeVisible();
});

test("a place of degrees has a map, and the metrics of it no cards", async () => {
  stage([...robot().slice(0, 2), metric("latitude", 52.52), metric("longitude", 13.405)]);
  const series = (name: string, value: number): Series => ({
    ...{ name, label: name, unit: "°", kind: "gauge", resolution: "raw" },
    points: [60, 30].map((minutes) => [ago(minutes), value, value, value]),
  });
  answer("health.series", { since, until: ago(0), names: [series("latitude", 52.52), series("longitude", 13.4)] });
  const screen = await open();
  await expect.element(screen.getByText("52.52°, 13.405°")).toBeVisible();
  await expect.element(screen.getByRole("img", { name: /^Map of its place/ })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: /^Latitude/ })).not.toBeInTheDocument();
  await expectGoodLooks();
});

test("the chart of a card reads out values by the arrow keys, with what happened and the recording of the moment", async () => {
  stage(robot());
  answer("health.series", ({ names }) => ({
    ...{ since, until: ago(0) },
    names: (names ?? "").split(",").map((name): Series => ({
      ...{ name, label: name === "battery" ? "Battery" : "CPU", unit: "", kind: "fraction", resolution: "raw" },
      points: [[ago(1), 0.3, 0.35, 0.4]],
    })),
  }));
  const alert = { severity: "critical", status: "open", rule_name: "Battery low", message: "" } as const;
  answer("fleet.timeline", {
    recordings: [{ uid: "rec_1", name: "night run", status: "ready", from: ago(90), to: ago(-10), open_alerts: 0 }],
    states: [{ status: "maintenance", reason: "set by ada", at: ago(60) }],
    alerts: [{ ...alert, uid: "alr_1", at: ago(30), resolved_at: null }],
    ...{ events: [], capped: false },
  });
  const screen = await open();
  await screen.getByRole("button", { name: /^Battery/ }).click();
  const dialog = screen.getByRole("dialog", { name: "Battery" });
  const moment = dialog.getByRole("slider", { name: "Moment" });
  await expect.element(moment).toHaveFocus();
  await expect.element(dialog.getByText("Arrow keys or the pointer")).toBeVisible();
  await userEvent.keyboard("{ArrowLeft}");
  await expect
    .element(moment)
    .toHaveAttribute("aria-valuetext", expect.stringContaining("Alert Battery low, critical"));
  await expect.element(moment).toHaveAttribute("aria-valuetext", expect.stringContaining("Maintenance, set by ada"));
  const link = dialog.getByRole("link", { name: "Open night run at this moment" });
  await expect.element(link).toHaveAttribute("href", expect.stringMatching(/^\/recordings\/rec_1\?t=/));
  await expectGoodLooks();
  await userEvent.keyboard("{Home}");
  await expect.element(dialog.getByText("No recording covers this moment.")).toBeVisible();

  await dialog.getByRole("combobox", { name: "Add a metric" }).click();
  await screen.getByRole("option", { name: /CPU/ }).click();
  await expect.element(screen.getByRole("region", { name: "CPU" })).toBeVisible();
  expect(listInputs("health.series").at(-1)).toMatchObject({ names: "battery,cpu" });
  await screen.getByRole("button", { name: "Remove Battery" }).click();
  await expect.element(screen.getByRole("region", { name: "Battery" })).not.toBeInTheDocument();
});
