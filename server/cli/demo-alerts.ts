import type { ApiClient } from "@/server/cli/api-client";

interface Alert {
  uid: string;
  rule_name: string;
  device_name: string;
  triggered_at: string;
}

type Step = [action: string, body?: Record<string, unknown>];

const comment = (body: string): Step => ["comments", { body }];

/** How people dealt with alerts, in turn; an empty list leaves one open. */
const courses: readonly (readonly Step[])[] = [
  [],
  [["acknowledge"], comment("On my way to the cell.")],
  [["acknowledge"], ["resolve", { reason: "fixed", note: "Fan replaced, temperature back to normal." }]],
  [["assign", { assignee: "me" }]],
  [["resolve", { reason: "expected", note: "Planned stop for cleaning." }]],
  [["acknowledge"], ["assign", { assignee: "me" }], comment("Same spot as last week; checking the cable.")],
  [["resolve", { reason: "duplicate" }], comment("Already followed up with the other alert of this run.")],
];

/** The noisy rule's alerts are mostly waved away: that is what makes it noisy. */
const noisyCourses: readonly (readonly Step[])[] = [
  [["resolve", { reason: "false_alarm", note: "Normal for a long run." }]],
  [["resolve", { reason: "false_alarm" }]],
  [],
  [["resolve", { reason: "false_alarm" }]],
];

/** Leads the demo's alerts to every state there is, through the API. Resolves to how many there are. */
export async function settleAlerts(api: ApiClient, now: Date): Promise<number> {
  const alerts = await allAlerts(api);
  const noisy = alerts.filter((alert) => alert.rule_name === "Motor warm");
  const others = alerts.filter((alert) => alert.rule_name !== "Motor warm");
  for (const [n, alert] of others.entries()) await walk(api, alert, courses[n % courses.length] ?? []);
  for (const [n, alert] of noisy.entries()) await walk(api, alert, noisyCourses[n % noisyCourses.length] ?? []);
  const later = new Date(now.getTime() + 4 * 3_600_000).toISOString();
  const asleep = others.find((_, n) => n % courses.length === 3);
  if (asleep) await walk(api, asleep, [["snooze", { until: later }]]);
  return alerts.length;
}

async function walk(api: ApiClient, alert: Alert, steps: readonly Step[]): Promise<void> {
  for (const [action, body = {}] of steps) await api.call("POST", `/fleet/alerts/${alert.uid}/${action}/`, `${action} of an alert`, body);
}

/** In an order that does not depend on which recording was processed first. */
async function allAlerts(api: ApiClient): Promise<Alert[]> {
  const found: Alert[] = [];
  for (let at: string | null = "/fleet/alerts/?demo=true&limit=200"; at !== null; ) {
    const page: { results: Alert[]; next: string | null } = await api.call("GET", at, "Listing the demo's alerts");
    found.push(...page.results);
    at = page.next === null ? null : page.next.slice(page.next.indexOf("/fleet/"));
  }
  const order = ({ rule_name, triggered_at, device_name }: Alert) => `${rule_name} ${triggered_at} ${device_name}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
