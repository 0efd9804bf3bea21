/** The first steps in the order they are suggested. Those of `seen` happen in the browser; the rest the data tells. */
export const firstStepKeys = ["evidence", "backtest", "device", "recording", "channel", "teammate"] as const;
export type FirstStep = (typeof firstStepKeys)[number];
export const seenSteps = ["evidence", "backtest"] as const satisfies readonly FirstStep[];
