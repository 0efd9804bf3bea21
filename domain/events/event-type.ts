import type { Severity } from "@/domain/severity";

export const eventTypes = ["error", "warning", "info", "state_change", "anomaly", "custom"] as const;
export type EventType = (typeof eventTypes)[number];

/** Who made an event. */
export const eventSources = ["user", "api_key", "device", "rule"] as const;

/** What an event's severity is when none is given. */
export const defaultSeverity: Readonly<Record<EventType, Severity>> = {
  error: "error",
  warning: "warning",
  info: "info",
  state_change: "info",
  anomaly: "warning",
  custom: "info",
};
