import { elementsText } from "@/domain/conditions/elements";
import { amountOf100, metricText, toScale } from "@/domain/conditions/metric";
import { valueText } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { roundedText } from "@/domain/conditions/sentences";
import { heartbeatTopic } from "@/domain/conditions/topics";

/** What evidence is about, and the value in it, for people, rounded as in the alert's sentence. */
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
    const subject = field === null ? topic : `${field} of ${topic}`;
    const fieldUnit = comparesOverTime && valueOnFieldScale ? (leaf.unit ?? "") : "";
    const elements = elementsText(leaf, fieldUnit);
    if (elements !== null) return { subject, value: elements, unit: "" };
    return { subject, value: readingText(leaf), unit: [leaf.unit, unit].filter(Boolean).join(" ") };
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

/** A number with as many digits as show on which side of its limits it is. */
function readingText({ value, threshold }: LeafEvidence): string {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== "number") return valueText(value);
  const bounds = Array.isArray(threshold) ? threshold : [threshold];
  return roundedText(
    single,
    bounds.filter((bound) => typeof bound === "number"),
  );
}

const beatUnit = (unit: string): string => (unit === "messages" ? "heartbeats" : unit);
