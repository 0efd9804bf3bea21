/**
 * Words and figures that screens and server share; without schemas, so that a page that only names them stays small.
 */

/** The device of an alert that is about none: a test. */
export const noDevice = "test";

/** Why an alert was resolved, as the person who did so put it. A rule's noise is its share of `false_alarm`. */
export const resolutionReasons = ["fixed", "expected", "false_alarm", "duplicate"] as const;
export type ResolutionReason = (typeof resolutionReasons)[number];
