import { cn } from "@/components/kit/cn";
import { toPhrase } from "@/domain/health/phrase";

/** A value for people with its unit lighter: `35 %`. */
export function MetricValue({ text, className }: { text: string; className?: string }) {
  const [, number = text, unit = ""] = /^([−\d.,e]+)( \S+)$/.exec(text) ?? [];
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {number}
      {unit && <span className="text-muted">{unit}</span>}
    </span>
  );
}

/** A metric in few words: `35 % charging`, `CPU 9 %`; nothing without a value. */
export function MetricPhrase(props: { metric: { label: string; text: string | null }; charging?: boolean }) {
  const phrase = toPhrase(props.metric, props.charging);
  if (!phrase) return null;
  return (
    <span className="whitespace-nowrap">
      {phrase.before && <span className="text-muted">{phrase.before} </span>}
      <MetricValue text={phrase.text} />
      {phrase.after && <span className="text-muted"> {phrase.after}</span>}
    </span>
  );
}
