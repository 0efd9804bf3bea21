/** What an alert's channels are told of. `channel.test` is sent by hand only. */
export const alertEvents = ["alert.triggered", "alert.acknowledged", "alert.resolved"] as const;
export type AlertEvent = (typeof alertEvents)[number];
type MessageEvent = AlertEvent | "channel.test";

/** The members of an alert's wire form that messages are written from; the webhook kind passes the whole of it on. */
interface MessageAlert extends Record<string, unknown> {
  uid: string;
  rule_name: string;
  device_id: string;
  device_name: string;
  recording_id: string | null;
  severity: string;
  status: string;
  message: string;
  occurrence_count: number;
  triggered_at: string;
  acknowledged_by: string | null;
  resolved_by: string | null;
  duration: string | null;
  note: string;
}

/** One message, as it was when its cause happened; also, as it stands, the body that a webhook channel receives. */
export interface Message {
  event: MessageEvent;
  alert: MessageAlert;
  rule: { uid: string; name: string; version: number };
  evidence: Record<string, unknown>;
  links: { alert: string; device: string; recording: string | null };
  /** Who caused it; null when a rule did. */
  actor: string | null;
  /** True when a channel that had been told of the end is told that there is none. */
  reopened: boolean;
}

const verbs: Record<MessageEvent, string> = {
  "alert.triggered": "Triggered",
  "alert.acknowledged": "Acknowledged",
  "alert.resolved": "Resolved",
  "channel.test": "Test",
};

/** `Triggered`, `Acknowledged by anna`, `Reopened by anna` … */
export function verbOf(message: Message): string {
  const verb = message.reopened ? "Reopened" : verbs[message.event];
  return message.actor === null || message.event === "channel.test" ? verb : `${verb} by ${message.actor}`;
}

/** One line: what, where, how bad. */
export const titleOf = ({ event, alert }: Message): string =>
  event === "channel.test"
    ? "Test message from Muster"
    : `[${alert.severity}] ${alert.rule_name} on ${alert.device_name}`;

/** What every kind of message lists, in this order. */
export function factsOf(message: Message): { name: string; value: string }[] {
  const { alert } = message;
  const facts = [
    { name: "Severity", value: alert.severity },
    { name: "Device", value: alert.device_name },
    { name: "Rule", value: alert.rule_name },
    { name: "Triggered", value: alert.triggered_at },
  ];
  if (alert.occurrence_count > 1) facts.push({ name: "Occurrences", value: String(alert.occurrence_count) });
  if (alert.duration !== null) facts.push({ name: "Duration", value: alert.duration });
  if (alert.note !== "") facts.push({ name: "Note", value: alert.note });
  return facts;
}

/** Cuts to `max` UTF-16 units without splitting a character, ending in an ellipsis when something was left out. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
