import { amountOf100, metricText, toScale } from "@/domain/conditions/metric";
import { valueText } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { heartbeatTopic } from "@/domain/conditions/topics";

/** What evidence is about, and the value in it, for people. */
interface EvidenceTexts {
  /** `temperature of /motor`, `Battery`, `Heartbeats` */
  subject: string;
  value: string;
  /** Empty where the value has its unit. */
  unit: string;
}

export function evidenceTexts(leaf: LeafEvidence): EvidenceTexts {
  const { topic, field, value, threshold, metric } = leaf;
  const { unit, comparesOverTime, valueOnFieldScale } = getKind(leaf);
  if (topic !== heartbeatTopic) {
    return { subject: field === null ? topic : `${field} of ${topic}`, value: valueText(value), unit };
  }
  const subject = metric?.label ?? (field === null ? "Heartbeats" : field);
  if (!metric || typeof value !== "number") return { subject, value: valueText(value), unit: beatUnit(unit) };
  if (comparesOverTime && valueOnFieldScale) return { subject, value: metricText(value, metric, threshold), unit: "" };
  if (!comparesOverTime) return { subject, value: valueText(value), unit: beatUnit(unit) };
  const amount = amountOf100(metric);
  return {
    subject,
    value: valueText(toScale(value, amount.times)),
    unit: [amount.unit, unit].filter(Boolean).join(" "),
  };
}

const beatUnit = (unit: string): string => (unit === "messages" ? "heartbeats" : unit);
