/** How a call of a tool ended: refused are those that the API would refuse too. */
export const callOutcomes = ["ok", "refused", "failed"] as const;
export type CallOutcome = (typeof callOutcomes)[number];
