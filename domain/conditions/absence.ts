import type { AbsenceCondition, AbsenceEvidence } from "@/domain/conditions/absence-schema";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { thresholdText } from "@/domain/conditions/phrases";
import { spanText } from "@/domain/conditions/sentences";
import { heartbeatTopic } from "@/domain/conditions/topics";

export const absence: LeafKind<AbsenceCondition, AbsenceEvidence> = {
  label: "Absence",
  example: "/battery_state silent for 15s",
  initial: { type: "absence", topic: "", timeout: "10s" },
  isComplete: ({ topic, timeout }) => filled(topic) && filled(timeout),
  comparesOverTime: false,
  valueOnFieldScale: false,
  reads: () => null,
  describe: ({ timeout }) => `silent for ${timeout}`,
  describeMet: ({ timeout }, seen) => `no messages on ${seen.topic} for ${spanText(timeout)}`,
  onHeartbeats: {
    describe: ({ timeout }) => `no heartbeat for ${spanText(timeout)}`,
    describeMet: ({ timeout }) => `no heartbeat for ${spanText(timeout)}`,
  },
  warnings: () => [],
  criterion: ({ timeout }) => ({ operator: null, threshold: timeout, window: timeout }),
  describeEvidence: ({ topic, threshold, window }) =>
    topic === heartbeatTopic ? `none for ${spanText(window ?? "")}` : `silent for ${thresholdText(threshold)}`,
  unit: "s",
  describeOrigin: () => null,
};
