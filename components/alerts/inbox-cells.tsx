import { Database } from "lucide-react";
import { Badge } from "@/components/kit/badge";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { Sparkline } from "@/components/kit/sparkline";
import { RelativeTime } from "@/components/kit/time";
import type { DatasetMark } from "@/components/moments/dataset-marks";
import { deliveryLabels, statusLabels } from "./labels";
import type { Alert, AlertGroup } from "./query";

/** `×7`, for screen readers with what is counted. */
const Times = ({ count, words }: { count: number; words: string }) => (
  <>
    <span aria-hidden>×{formatNumber(count)}</span>
    <span className="sr-only">{words}</span>
  </>
);

export const alertTimes = ({ occurrence_count: count }: Alert) => (
  <Times count={count} words={plural(count, "time", "times")} />
);
export const groupTimes = ({ count }: AlertGroup) => <Times count={count} words={plural(count, "alert")} />;

/** `×7`, with the occurrences over the recording as a line where they are known; `max` is what its top stands for. */
export function Count(props: { alert: Alert; series: readonly number[] | undefined; max: number }) {
  const { alert, series, max } = props;
  if (alert.occurrence_count <= 1) return null;
  return (
    <span className="inline-flex items-center gap-2">
      {series && series.length > 1 && (
        <Sparkline
          values={series}
          max={max}
          width={44}
          height={16}
          label={`${alert.occurrence_count} times, from the beginning of the recording to its end`}
        />
      )}
      <Badge mono>{alertTimes(alert)}</Badge>
    </span>
  );
}

/**
 * When the alerts of a group triggered in the last 24 hours; nothing where all are older. `max` an hour is what the top of
 * its line stands for.
 */
export function LastDay({ group, max, className }: { group: AlertGroup; max: number; className?: string }) {
  const recent = group.hours.reduce((sum, each) => sum + each, 0);
  if (recent === 0) return null;
  const label = `${plural(recent, "alert")} in the last 24 hours, at most ${Math.max(...group.hours)} in one`;
  return (
    <span className={cn("inline-flex shrink-0 self-center", className)} title={label}>
      <Sparkline values={group.hours} max={max} width={48} height={16} label={label} />
    </span>
  );
}

/** Delivery of the alert's messages: a mark and a label, the sentence in its title. */
export function DeliveryState({ delivery }: { delivery: Alert["delivery"] }) {
  const { mark, label, sentence } = deliveryLabels[delivery];
  if (delivery === "none")
    return (
      <span title={sentence}>
        <None />
      </span>
    );
  return (
    <span
      title={sentence}
      className={cn("inline-flex items-center gap-1", delivery === "failed" ? "text-error-text" : "text-muted")}
    >
      <span aria-hidden>{mark}</span>
      {label}
    </span>
  );
}

/** An alert's state beside its severity: acknowledged by whom, snoozed until when, muted. */
export function AlertNote({ alert, tab }: { alert: Alert; tab: string }) {
  if (alert.silenced) return <Note>Silenced</Note>;
  if (alert.snoozed_until)
    return (
      <Note>
        Snoozed, back <RelativeTime value={alert.snoozed_until} rich={false} />
      </Note>
    );
  if (tab === "silenced") return <Note>{statusLabels[alert.status]}</Note>;
  if (alert.status === "acknowledged" && alert.acknowledged_by) return <Note>by {alert.acknowledged_by}</Note>;
  return null;
}

/** The first dataset that has the alert's moment, and how many more there are. */
export function InDatasets({ marks }: { marks: readonly DatasetMark[] }) {
  const [first, ...more] = marks;
  if (!first) return null;
  const label = `In ${marks.map(({ name }) => name).join(", ")}`;
  return (
    <span
      className="inline-flex max-w-40 min-w-0 shrink items-center gap-1 self-center text-meta font-normal text-subtle"
      title={label}
    >
      <Database aria-hidden className="size-3 shrink-0" />
      <span className="sr-only">In</span>
      <span className="truncate">{first.name}</span>
      {more.length > 0 && <span className="shrink-0">+{more.length}</span>}
    </span>
  );
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <span className="shrink-0 text-meta font-normal text-subtle">{children}</span>
);
