import type { ResolutionReason } from "@/domain/alerts/lifecycle";

/** Resolutions that say whether a rule was right; the others say nothing of it. */
export const judgements = ["fixed", "false_alarm"] as const satisfies readonly ResolutionReason[];
export type Judgement = (typeof judgements)[number];
