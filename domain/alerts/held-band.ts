import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import type { AlertEvidence } from "./evidence";

/**
 * What is shaded before an alert triggered: how long the drawn condition had to hold, or else the composite that it is a part
 * of. Empty where neither had to.
 */
export function heldBands(evidence: AlertEvidence, leaf: Pick<LeafEvidence, "window"> | undefined, at: bigint) {
  const held = leaf?.window ?? (evidence.kind === "rule" ? evidence.window : null);
  const length = durationOrZero(held);
  if (held === null || length === 0n) return [];
  return [{ fromNs: at - length, toNs: at, kind: "window" as const, label: `Held for ${held}` }];
}
