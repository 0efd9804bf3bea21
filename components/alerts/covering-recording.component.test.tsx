import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { answer, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { readEvidence } from "@/domain/alerts/evidence";
import { AlertDetail } from "@/server/features/alerts/resource";
import { AlertEvidence } from "./alert-evidence";
import { AlertMetricPlot, findMetric } from "./alert-plot";
import { CoveringRecording, isLive } from "./covering-recording";

const leaf = {
  ...{ type: "threshold", topic: "@heartbeat", field: "battery", holds: true, value: 0.13, operator: "lt" },
  ...{ threshold: 0.2, window: "5m", metric: { label: "Battery", unit: "%", kind: "fraction" } },
};
const alert = {
  ...sample(AlertDetail, { uid: "alr_1", recording_id: null, triggered_at: "2026-11-20T14:05:00.000Z" }),
  guidance: { runbook: "", owner: null },
  evidence: readEvidence({ rule_version: 1, topic: "@heartbeat", leaves: [leaf] }),
};
const at = "/alerts/alr_1";

test("an alert about heartbeats leads to the recording that covers its moment, or says that none does", async () => {
  expect([isLive(alert), isLive({ ...alert, recording_id: "rec_1" })]).toEqual([true, false]);
  answer("alerts.covering", { uid: "rec_1", name: "Morning run" });
  const found = await show(<CoveringRecording alert={alert} />, at);
  const link = found.getByRole("link", { name: "Morning run" });
  await expect.element(link).toHaveAttribute("href", expect.stringMatching(/^\/recordings\/rec_1\?.*t=2026-11-20T14/));
  answer("alerts.covering", null);
  const other = { ...alert, uid: "alr_2" };
  const none = await show(<CoveringRecording alert={other} />, at);
  await expect.element(none.getByText("No recording of this device covers this moment.")).toBeVisible();
  refuse("alerts.covering", { status: 500, detail: "Failed." });
  const failed = await show(<CoveringRecording alert={{ ...alert, uid: "alr_3" }} />, at);
  await expect.element(failed.getByText("The recordings could not be searched")).toBeVisible();
});

test("its evidence has the metric's label, and values with its unit", async () => {
  const screen = await show(<AlertEvidence alert={alert} />, at);
  const row = screen.getByRole("row").last();
  await expect.element(row).toHaveTextContent("Battery");
  await expect.element(row).toHaveTextContent("below 20 % for 5 min");
  await expect.element(row).toHaveTextContent("13 %");
});

test("the hour around it is drawn in the metric's unit, with the rule's value; nothing where it is not kept", async () => {
  expect(findMetric(alert)).toMatchObject({ name: "battery" });
  expect(findMetric({ ...alert, evidence: readEvidence({ kind: "test" }) })).toBeNull();
  const hour = { since: "2026-11-20T13:20:00.000Z", until: "2026-11-20T14:20:00.000Z" };
  const series = { name: "battery", label: "Battery", unit: "%", kind: "fraction", resolution: "raw" } as const;
  const minute = (n: number, value: number): [string, number, number, number] => [
    new Date(Date.UTC(2026, 10, 20, 14, n)).toISOString(),
    value,
    value,
    value,
  ];
  answer("health.series", {
    ...hour,
    names: [{ ...series, points: [minute(0, 0.24), minute(3, 0.16), minute(5, 0.13)] }],
  });
  const screen = await show(<AlertMetricPlot alert={alert} />, at);
  await expect.element(screen.getByText("in %")).toBeVisible();
  await expect
    .element(screen.getByRole("img", { name: "Battery in the hour around the alert, from 13 % to 24 %" }))
    .toBeVisible();
  answer("health.series", { ...hour, names: [{ ...series, points: [] }] });
  const gone = await show(<AlertMetricPlot alert={{ ...alert, device_id: "dev_2" }} />, at);
  await expect.element(gone.getByText("The heartbeats of that time are not kept any more.")).toBeVisible();
});
