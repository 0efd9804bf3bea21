/** How bad something is, the least first: what events and alerts carry, and what rules give. */
export const severities = ["info", "warning", "error", "critical"] as const;
export type Severity = (typeof severities)[number];

/** The worst first, as screens list them. */
export const severitiesWorstFirst: readonly Severity[] = severities.toReversed();

/** The place in that order, from 0; what the column `severity_rank` holds. */
export const severityRank = (severity: Severity): number => severities.indexOf(severity);

/** What an alert carries when nothing says how bad it is. */
export const defaultAlertSeverity: Severity = "warning";

/** As people read them. */
export const severityLabels: Readonly<Record<Severity, string>> = {
  info: "Info",
  warning: "Warning",
  error: "Error",
  critical: "Critical",
};
