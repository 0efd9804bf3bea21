import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { answer, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { AlertResource } from "@/server/features/alerts/resource";
import { AlertPage } from "./alert-page";
import type { AlertDetail } from "./query";

const alert: AlertDetail = {
  ...sample(AlertResource, {
    ...{ uid: "alt_1", rule_name: "Motor overheating", device_name: "Arm C1", device_id: "test", status: "open" },
    ...{ recording_id: null, snoozed_until: null, silenced: false },
  }),
  ...{ evidence: { kind: "test" }, guidance: { runbook: "", owner: null } },
};

test("after an alert is acknowledged, the next one is the next open one; without one that is said", async () => {
  let status: AlertDetail["status"] = "open";
  answer("alerts.get", () => ({ ...alert, status }));
  answer("alerts.bulk", ({ uids }) => {
    status = "acknowledged";
    return { results: uids.map((uid) => ({ uid, ok: true, status, error: null })), succeeded: 1, failed: 0 };
  });
  answer("alerts.capture", null);
  for (const list of ["alerts.around", "alerts.previous"] as const) answer(list, []);
  for (const list of ["alerts.timeline", "members.list"] as const)
    answer(list, { results: [], next: null, previous: null });
  answer("alerts.neighbours", { previous: null, next: "alt_2" });
  const screen = await show(<AlertPage uid="alt_1" />, "/alerts/alt_1");
  await expect.element(screen.getByRole("button", { name: /^Acknowledge/ })).toBeVisible();
  await userEvent.keyboard("a");
  await expect.element(screen.getByRole("button", { name: /^Acknowledge/ })).not.toBeInTheDocument();
  await userEvent.keyboard("p");
  await expect.element(screen.getByText("No open alert comes before this one")).toBeVisible();
  expect(location.pathname).toBe("/alerts/alt_1");
  await userEvent.keyboard("n");
  await expect.poll(() => location.pathname).toBe("/alerts/alt_2");
  expect(listInputs("alerts.neighbours")).toContainEqual({ uid: "alt_1", tab: "open" });
  for (const input of listInputs("alerts.neighbours")) expect(input.tab).toBe("open");
});
