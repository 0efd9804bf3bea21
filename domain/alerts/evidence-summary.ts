import type { AlertEvidence } from "@/domain/alerts/evidence";
import { evidenceTexts } from "@/domain/conditions/evidence-texts";
import { valueText } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { isoFromNs } from "@/domain/time/nanoseconds";

function describeLeaf(leaf: LeafEvidence): string {
  const kind = getKind(leaf);
  const { subject, value, unit } = evidenceTexts(leaf);
  const seen = [value, unit, kind.describeOrigin(leaf) ?? ""].filter(Boolean).join(" ");
  const at = leaf.value_at === null ? "" : ` at ${isoFromNs(BigInt(leaf.value_at))}`;
  return `${subject} ${kind.describeEvidence(leaf)}: was ${seen}${at}`;
}

/** Why an alert was raised, one line for each condition that held: what was required, and what was seen. */
export function summarizeEvidence(evidence: AlertEvidence): string[] {
  switch (evidence.kind) {
    case "rule": {
      const more = evidence.suppressed > 0 ? [`${evidence.suppressed} more triggers within the cooldown`] : [];
      return [...evidence.leaves.filter(({ holds }) => holds).map(describeLeaf), ...more];
    }
    case "heartbeat":
      return [`no heartbeat for ${evidence.offline_after_seconds} s: the last one was at ${evidence.last_seen_at}`];
    case "test":
      return ["sent by hand as a test"];
    case "other":
      return Object.entries(evidence.values).map(([name, value]) => `${name}: ${valueText(value)}`);
  }
}
