/** The first steps in the order they are suggested. Browsers report those of `seen`; the rest follow from data. */
export const firstStepKeys = ["evidence", "backtest", "device", "recording", "channel", "teammate"] as const;
export type FirstStep = (typeof firstStepKeys)[number];
export const seenSteps = ["evidence", "backtest"] as const satisfies readonly FirstStep[];
