import { beforeEach, expect, test } from "vitest";
import { DeviceList } from "@/components/devices/device-list";
import type { DeviceRow } from "@/components/devices/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { DemoStatus } from "@/server/demo/resource";
import { DeviceOverview } from "@/server/features/devices/resource";

const path = "/devices";
const nothing = { results: [], next: null, previous: null };
const silent = { info: 0, warning: 0, error: 0, critical: 0 };

const device = (uid: string, name: string, change: Partial<DeviceRow> = {}): DeviceRow => ({
  ...sample(DeviceOverview, { uid, name, type: "arm", status: "online", demo: false, tags: [], group_ids: [] }),
  ...{ last_seen_at: new Date().toISOString(), last_recording_at: null, open_alerts: 0, worst_severity: null },
  ...{ open_by_severity: silent, metadata: {}, metrics: {}, ...change },
});

const list = (...results: DeviceRow[]) => answer("fleet.devices", { ...nothing, results });

beforeEach(() => {
  answer("devices.vocabulary", { types: ["arm"], tags: [], firmware: [] });
  answer("groups.list", nothing);
  answer("demo.status", sample(DemoStatus, { state: "none", alert_id: null }));
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
