import type { Severity } from "@/domain/severity";

export const eventTypes = ["error", "warning", "info", "state_change", "anomaly", "custom"] as const;
export type EventType = (typeof eventTypes)[number];

/** What created an event. */
export const eventSources = ["user", "api_key", "device", "rule"] as const;

/** The default severity of an event. */
export const defaultSeverity: Readonly<Record<EventType, Severity>> = {
  error: "error",
  warning: "warning",
  info: "info",
  state_change: "info",
  anomaly: "warning",
  custom: "info",
};
