import { useClock } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { formatDuration, plural } from "@/components/kit/format";
import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { describeOutcome, isUrgent, timeLeft } from "./agent-texts";
import { ExecutionStatusMark } from "./execution-status";
import type { Execution } from "./query";

/** How long is left to act on an open execution, counting down; how long a closed one took. */
function TookOrLeft({ execution }: { execution: Execution }) {
  const { created_at: from, completed_at: to } = execution;
  if (to !== null) return <Duration ms={Date.parse(to) - Date.parse(from)} className="text-muted" />;
  return <TimeLeft execution={execution} />;
}

/** The countdown to the deadline of an open execution; a warning in its last two minutes. */
export function TimeLeft({ execution }: { execution: Pick<Execution, "status" | "deadline"> }) {
  const seconds = useClock((now) => Math.max(0, Math.round((timeLeft(execution, now) ?? 0) / 1_000)));
  const urgent = isUrgent(seconds * 1_000);
  return (
    <span className={cn("whitespace-nowrap tabular-nums", urgent ? "text-warning-text" : "text-foreground")}>
      {seconds === 0 ? "due now" : `${seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000)} left`}
    </span>
  );
}

/** The state of an execution in the list, amber in its last two minutes. */
function StatusCell({ execution }: { execution: Execution }) {
  const overdue = useClock((now) => isUrgent(timeLeft(execution, now)));
  return <ExecutionStatusMark execution={execution} overdue={overdue} />;
}

/** Who acted: the agent, or a person by hand. */
export const describeActor = ({ action, by_hand, acted_by }: Execution): string | null =>
  action === null ? null : by_hand ? (acted_by ?? "A person") : "Agent";

/** Why: the reason of the action, or what went wrong. */
const describeReason = (execution: Execution): { text: string; error: boolean } | null => {
  const outcome = describeOutcome(execution);
  if (outcome?.overruled) return { text: outcome.text, error: true };
  if (execution.reason !== "") return { text: execution.reason, error: false };
  return execution.error_message === null
    ? null
    : { text: execution.error_message, error: execution.status === "failed" };
};

const testName = "A test";

/** What an execution is about, in words. */
export const getName = (execution: Pick<Execution, "about" | "event_type">): string =>
  execution.about ?? (execution.event_type === "test.ping" ? testName : execution.event_type);

export const executionColumns: readonly DataTableColumn<Execution>[] = [
  {
    id: "created_at",
    header: "Time",
    width: 96,
    narrow: "meta",
    cell: (execution) => <RelativeTime value={execution.created_at} rich={false} className="text-muted" />,
  },
  {
    id: "event_type",
    header: "Event",
    width: 140,
    narrow: "meta",
    cell: (execution) => <span className="font-mono text-meta">{execution.event_type}</span>,
  },
  {
    id: "about",
    header: "About",
    minWidth: 110,
    required: true,
    narrow: "title",
    cell: (execution) => <Truncate text={getName(execution)} className={execution.about ? undefined : "text-muted"} />,
  },
  {
    id: "project",
    header: "Project",
    width: 150,
    hidden: true,
    cell: (execution) => (execution.project_name === null ? <None /> : <Truncate text={execution.project_name} />),
  },
  {
    id: "status",
    header: "Status",
    width: 112,
    narrow: "trailing",
    cell: (execution) => <StatusCell execution={execution} />,
  },
  {
    id: "action",
    header: "By",
    width: 72,
    cell: (execution) => {
      const actor = describeActor(execution);
      return actor === null ? <None /> : <Truncate text={actor} className="text-muted" />;
    },
  },
  {
    id: "reason",
    header: "Reason",
    minWidth: 220,
    cell: (execution) => {
      const reason = describeReason(execution);
      return reason === null ? (
        <None />
      ) : (
        <Truncate text={reason.text} className={reason.error ? "text-error-text" : "text-muted"} />
      );
    },
  },
  {
    id: "attempts",
    header: "Tries",
    width: 64,
    align: "right",
    hidden: true,
    cell: (execution) =>
      execution.attempts === 0 ? (
        <None />
      ) : (
        <span title={plural(execution.attempts, "attempt")}>{execution.attempts}</span>
      ),
  },
  {
    id: "took",
    header: "Took",
    width: 104,
    align: "right",
    narrow: "meta",
    cell: (execution) => <TookOrLeft execution={execution} />,
  },
];
