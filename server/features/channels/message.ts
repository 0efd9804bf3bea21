import { z } from "zod";
import { isFoundLate } from "@/domain/alerts/found-late";
import { alertStatuses, type AlertStatus } from "@/domain/alerts/lifecycle";

/** The events of which an alert's channels are notified. `channel.test` is sent only on request. */
export const alertEvents = ["alert.triggered", "alert.acknowledged", "alert.resolved"] as const;
const messageEvents = [...alertEvents, "channel.test"] as const;
type MessageEvent = (typeof messageEvents)[number];

/** The members of an alert resource that messages are composed from; webhooks receive the complete resource. */
const MessageAlert = z.looseObject({
  uid: z.string(),
  rule_name: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  recording_id: z.string().nullable(),
  severity: z.string(),
  status: z.string(),
  message: z.string(),
  occurrence_count: z.number(),
  triggered_at: z.string(),
  /** When it was found. */
  created_at: z.string().optional(),
  acknowledged_by: z.string().nullable(),
  resolved_by: z.string().nullable(),
  duration: z.string().nullable(),
  note: z.string(),
});

/** One message with the state at the time of its event; also the body that a webhook channel receives. */
export const Message = z.object({
  event: z.enum(messageEvents),
  alert: MessageAlert,
  rule: z.object({ uid: z.string(), name: z.string(), version: z.number() }),
  evidence: z.record(z.string(), z.unknown()),
  links: z.object({ alert: z.string(), device: z.string(), recording: z.string().nullable() }),
  /** The name of who caused it; null when a rule did. */
  actor: z.string().nullable(),
  /** True when the alert was reopened after the channel had been notified of its end. */
  reopened: z.boolean(),
  /** When that happened: messages of changes are sent later. Rows of versions before have none. */
  occurred_at: z.string().nullable().default(null),
});
export type Message = z.output<typeof Message>;

/** Whether it tells of an alert for the first time. */
export const isNew = ({ event, reopened }: Message): boolean => event === "alert.triggered" && !reopened;

/** What says that an alert, of which a channel knows one state, is in another; null when that is the same. */
export function toChange(known: AlertStatus, now: AlertStatus): Pick<Message, "event" | "reopened"> | null {
  if (known === now) return null;
  if (now === "resolved") return { event: "alert.resolved", reopened: false };
  return known === "open"
    ? { event: "alert.acknowledged", reopened: false }
    : { event: "alert.triggered", reopened: true };
}

const rank = (status: AlertStatus): number => alertStatuses.indexOf(status);

/**
 * Whether a message about `state`, which waits, is still to be sent when the alert is in the state `now` and its channel
 * knows `known`: the acknowledgement before the resolution, but nothing that was undone.
 */
export const isStep = (state: AlertStatus, { known, now }: Readonly<Record<"known" | "now", AlertStatus>>): boolean =>
  rank(state) < rank(now) && (rank(state) > rank(known) || rank(known) > rank(now));

const verbs: Record<MessageEvent, string> = {
  "alert.triggered": "Triggered",
  "alert.acknowledged": "Acknowledged",
  "alert.resolved": "Resolved",
  "channel.test": "Test",
};

/** `Triggered`, `Acknowledged by anna`, `Reopened by anna` … */
export function formatVerb(message: Message): string {
  const verb = message.reopened ? "Reopened" : verbs[message.event];
  return message.actor === null || message.event === "channel.test" ? verb : `${verb} by ${message.actor}`;
}

/** One line with severity, rule and device. */
export const formatTitle = ({ event, alert }: Message): string =>
  event === "channel.test"
    ? "Test message from Muster"
    : `[${alert.severity}] ${alert.rule_name} on ${alert.device_name}`;

/** The facts that every type of message lists, in this order. */
export function listFacts(message: Message): { name: string; value: string }[] {
  const { alert } = message;
  const facts = [
    { name: "Severity", value: alert.severity },
    { name: "Device", value: alert.device_name },
    { name: "Rule", value: alert.rule_name },
    { name: "Triggered", value: alert.triggered_at },
  ];
  if (alert.created_at !== undefined && isFoundLate(alert.created_at, alert.triggered_at))
    facts.push({ name: "Found", value: alert.created_at });
  if (message.occurred_at !== null && message.occurred_at !== alert.triggered_at)
    facts.push({ name: message.reopened ? "Reopened" : verbs[message.event], value: message.occurred_at });
  if (alert.occurrence_count > 1) facts.push({ name: "Occurrences", value: String(alert.occurrence_count) });
  if (alert.duration !== null) facts.push({ name: "Duration", value: alert.duration });
  if (alert.note !== "") facts.push({ name: "Note", value: alert.note });
  return facts;
}

/** What a picture shows, for those who do not see it: `/camera/front, 0.1 s before`. */
export function describePicture({ topic, offset_ms: offset }: { topic: string; offset_ms: number }): string {
  const seconds = (Math.abs(offset) / 1_000).toFixed(1);
  const when = seconds === "0.0" ? "at the moment" : `${seconds} s ${offset < 0 ? "before" : "after"}`;
  return shorten(`${topic}, ${when}`, 300);
}

/** Truncates to `max` UTF-16 units without splitting a character; a truncated text ends in an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
