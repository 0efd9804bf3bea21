import type { ApiClient } from "@/cli/api-client";
import { alertCourses, type Step } from "@/server/features/demo/courses";

interface Alert {
  uid: string;
  rule_name: string;
  device_name: string;
  triggered_at: string;
}

/** Brings the demo's alerts into all states, through the API. Resolves to their number. */
export async function applyAlertSteps(api: ApiClient, now: Date): Promise<number> {
  const alerts = await listAlerts(api);
  for (const { uid, steps } of alertCourses(alerts, now)) {
    for (const step of steps) {
      const [action, body] = request(step);
      await api.call("POST", `/fleet/alerts/${uid}/${action}/`, `${action} of an alert`, body);
    }
  }
  return alerts.length;
}

function request(step: Step): [action: string, body: Record<string, unknown>] {
  switch (step.do) {
    case "acknowledge":
      return ["acknowledge", {}];
    case "assign":
      return ["assign", { assignee: "me" }];
    case "resolve":
      return ["resolve", { reason: step.reason, ...(step.note !== undefined && { note: step.note }) }];
    case "comment":
      return ["comments", { body: step.body }];
    case "snooze":
      return ["snooze", { until: step.until.toISOString() }];
  }
}

async function listAlerts(api: ApiClient): Promise<Alert[]> {
  const found: Alert[] = [];
  for (let at: string | null = "/fleet/alerts/?demo=true&limit=200"; at !== null;) {
    const page: { results: Alert[]; next: string | null } = await api.call("GET", at, "Listing the demo's alerts");
    found.push(...page.results);
    at = page.next === null ? null : page.next.slice(page.next.indexOf("/fleet/"));
  }
  return found;
}
