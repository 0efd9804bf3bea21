import { expect, test } from "vitest";
import { AlertInbox } from "@/components/alerts/alert-inbox";
import { show } from "@/components/testing/host";
import { answer, connect } from "@/components/testing/network";

const nothing = { results: [], next: null, previous: null };
const none = { open: 0, acknowledged: 0, resolved: 0, silenced: 0, snoozed: 0, ceiling: 1_000 };

test("a tab whose alerts cannot be loaded shows the error and can be retried", async () => {
  answer("devices.list", nothing);
  answer("groups.list", nothing);
  answer("members.list", nothing);
  answer("rules.list", nothing);
  answer("alerts.inboxCounts", { ...none, open_by_severity: { info: 0, warning: 0, error: 0, critical: 0 } });
  answer("alerts.suggestedGrouping", { by: null });
  answer("alerts.inbox", { ...nothing, newest: null });
  answer("alerts.lastResolved", { at: null });
  const screen = await show(<AlertInbox />, "/alerts");
  await expect.element(screen.getByRole("heading", { name: "No alerts yet" })).toBeVisible();
  connect(false);
  await screen.getByRole("tab", { name: "Resolved" }).click();
  await expect.element(screen.getByRole("heading", { name: "Alerts could not be loaded" })).toBeVisible();
  connect(true);
  await screen.getByRole("button", { name: "Retry" }).click();
  await expect.element(screen.getByRole("heading", { name: "No resolved alerts" })).toBeVisible();
});
