import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { answer, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { readEvidence } from "@/domain/alerts/evidence";
import { AlertDetail } from "@/server/features/alerts/resource";
import { AlertEvidence } from "./alert-evidence";
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
