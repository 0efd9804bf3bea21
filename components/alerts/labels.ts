import { noDevice, type ResolutionReason } from "@/domain/alerts/lifecycle";
import type { Alert } from "./query";

/** Reasons of a resolution as people read them; `withdrawn` is the platform's own. */
const reasons: Readonly<Record<ResolutionReason | "withdrawn", string>> = {
  fixed: "Fixed",
  expected: "Expected",
  false_alarm: "False alarm",
  duplicate: "Duplicate",
  withdrawn: "No longer found",
};
export const reasonLabels: Readonly<Record<string, string>> = reasons;

export const statusLabels: Record<Alert["status"], string> = {
  open: "Open",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
};

/** Delivery of an alert's messages: a mark, a label for the list and a sentence. */
export const deliveryLabels: Record<Alert["delivery"], { mark: string; label: string; sentence: string }> = {
  none: { mark: "", label: "Not sent", sentence: "No channel was notified." },
  pending: { mark: "…", label: "Sending", sentence: "A message is being sent." },
  delivered: { mark: "✓", label: "Delivered", sentence: "Every channel accepted its message." },
  failed: { mark: "⚠", label: "Failed", sentence: "A channel did not accept its message." },
};

/** Whether it is a test alert, which belongs to no rule and no device. */
export const isTest = (alert: Pick<Alert, "device_id">): boolean => alert.device_id === noDevice;

/** `Motor overheating on Arm C1`; of a test its name alone. */
export const alertTitle = (alert: Pick<Alert, "rule_name" | "device_name" | "device_id">): string =>
  isTest(alert) ? alert.rule_name : `${alert.rule_name} on ${alert.device_name}`;
