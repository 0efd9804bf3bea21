import { z } from "zod";
import { ruleEvidenceSchema } from "@/domain/conditions/rule-evidence";

/** What an alert was raised for, by source; `other` is evidence of an unknown kind. */
export const AlertEvidence = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rule"), ...ruleEvidenceSchema.shape }),
  z.object({
    kind: z.literal("heartbeat"),
    rule_version: z.int(),
    last_seen_at: z.string(),
    offline_after_seconds: z.number(),
  }),
  z.object({ kind: z.literal("test") }),
  z.object({ kind: z.literal("other"), values: z.record(z.string(), z.unknown()) }),
]);
export type AlertEvidence = z.output<typeof AlertEvidence>;
export type EvidenceOf<Kind extends AlertEvidence["kind"]> = Extract<AlertEvidence, { kind: Kind }>;

type Stored = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Stored =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Members that the earliest versions did not write.
const bareRule = { kind: "rule", rule_version: 0, topic: "", window: null, suppressed: 0, storm: false };
const bareLeaf = {
  path: "",
  type: "threshold",
  field: null,
  holds: false,
  value: null,
  value_at: null,
  operator: null,
  threshold: null,
  window: null,
  samples: [],
};

/** Converts stored evidence, which has no kind when a rule wrote it, to the form that screens show. */
export function readEvidence(stored: Stored): AlertEvidence {
  const leaves: readonly unknown[] | null =
    stored.kind === undefined && Array.isArray(stored.leaves) ? stored.leaves : null;
  const known = leaves
    ? { ...bareRule, ...stored, leaves: leaves.map((leaf) => (isRecord(leaf) ? { ...bareLeaf, ...leaf } : leaf)) }
    : { rule_version: 0, ...stored };
  const parsed = AlertEvidence.safeParse(known);
  return parsed.success ? parsed.data : { kind: "other", values: stored };
}
