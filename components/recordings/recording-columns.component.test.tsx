import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { RecordingAlerts, recordingColumns } from "./recording-columns";

const none = { info: 0, warning: 0, error: 0, critical: 0 };

test("alerts are counted by severity, the worst first", async () => {
  const alerted = { open_alerts: 3, open_by_severity: { ...none, critical: 1, error: 2 }, resolved_alerts: 4 };
  const screen = await show(<RecordingAlerts recording={alerted} />, "/recordings");
  await expect.element(screen.getByText("1 critical alert, not resolved")).toBeInTheDocument();
  await expect.element(screen.getByText("2 error alerts, not resolved")).toBeInTheDocument();
  expect(screen.container.textContent).toMatch(/^1.*2/);
  await expectGoodLooks();
});

test("resolved alerts are a number, and of more than a cell counts there are more", async () => {
  const resolved = { open_alerts: 0, open_by_severity: none, resolved_alerts: 4 };
  const many = { open_alerts: 100, open_by_severity: { ...none, warning: 100 }, resolved_alerts: 0 };
  const screen = await show(
    <>
      <RecordingAlerts recording={resolved} />
      <RecordingAlerts recording={many} />
    </>,
    "/recordings",
  );
  await expect.element(screen.getByText("4 resolved")).toBeVisible();
  await expect.element(screen.getByText("100+ warning alerts, not resolved")).toBeInTheDocument();
});

test("phones list alerts, too", () => {
  expect(recordingColumns.find(({ id }) => id === "alerts")?.narrow).toBeDefined();
});
