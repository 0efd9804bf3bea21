/**
 * Words and figures that screens and server share; without schemas, so that a page that only names them stays small.
 */

export const firstStepKeys = ["evidence", "backtest", "device", "recording", "channel", "teammate"] as const;
export type FirstStep = (typeof firstStepKeys)[number];
