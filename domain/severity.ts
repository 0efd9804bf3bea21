/** Severities of events, alerts and rules, the lowest first. */
export const severities = ["info", "warning", "error", "critical"] as const;
export type Severity = (typeof severities)[number];

/** The highest first, as screens list them. */
export const severitiesWorstFirst: readonly Severity[] = severities.toReversed();

/** The rank of a severity from 0, as in the column `severity_rank`. */
export const severityRank = (severity: Severity): number => severities.indexOf(severity);

/** Numbers by the rank of a severity, such as counts from SQL, by its name. */
export const bySeverity = ([info = 0, warning = 0, error = 0, critical = 0]: readonly number[]): Record<
  Severity,
  number
> => ({ info, warning, error, critical });

/** The default severity of alerts. */
export const defaultAlertSeverity: Severity = "warning";

/** Labels for screens. */
export const severityLabels: Readonly<Record<Severity, string>> = {
  info: "Info",
  warning: "Warning",
  error: "Error",
  critical: "Critical",
};
