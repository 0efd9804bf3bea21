/** How bad something is, the least first: what events and alerts carry, and what rules give. */
export const severities = ["info", "warning", "error", "critical"] as const;
export type Severity = (typeof severities)[number];

/** The place in that order, from 0; what the column `severity_rank` holds. */
export const severityRanks: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2, critical: 3 };
