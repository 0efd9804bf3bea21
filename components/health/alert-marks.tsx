import { StatusMark } from "@/components/product/status";
import { severitiesWorstFirst, severityLabels, type Severity } from "@/domain/severity";

type Counts = Partial<Readonly<Record<Severity, number>>>;

/** The open alerts in words: `1 critical, 2 warning alerts open`; empty for none. */
function describeAlerts(counts: Counts): string {
  const shown = severitiesWorstFirst.filter((severity) => (counts[severity] ?? 0) > 0);
  if (shown.length === 0) return "";
  const total = shown.reduce((sum, severity) => sum + (counts[severity] ?? 0), 0);
  const parts = shown.map((severity) => `${counts[severity]} ${severityLabels[severity].toLowerCase()}`);
  return `${parts.join(", ")} ${total === 1 ? "alert" : "alerts"} open`;
}

/** Open alerts by severity, each as its shape and number: `◆1 ●1`; nothing for none. */
export function AlertMarks({ counts }: { counts: Counts }) {
  const text = describeAlerts(counts);
  if (text === "") return null;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" title={text}>
      <span className="sr-only">{text}</span>
      {severitiesWorstFirst.map((severity) =>
        (counts[severity] ?? 0) > 0 ? (
          <span key={severity} aria-hidden className="inline-flex items-center gap-0.5 tabular-nums">
            <StatusMark tone={severity} />
            {counts[severity]}
          </span>
        ) : null,
      )}
    </span>
  );
}
