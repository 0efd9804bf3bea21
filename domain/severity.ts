/** Severities of events, alerts and rules, the lowest first. */
export const severities = ["info", "warning", "error", "critical"] as const;
export type Severity = (typeof severities)[number];

/** The highest first, as screens list them. */
export const severitiesWorstFirst: readonly Severity[] = severities.toReversed();

/** The rank of a severity from 0, as in the column `severity_rank`. */
export const severityRank = (severity: Severity): number => severities.indexOf(severity);

/** The default severity of alerts. */
export const defaultAlertSeverity: Severity = "warning";

/** Labels for screens. */
export const severityLabels: Readonly<Record<Severity, string>> = {
  info: "Info",
  warning: "Warning",
  error: "Error",
  critical: "Critical",
};
