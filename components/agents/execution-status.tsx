import { Ban, Check, CircleAlert, CircleDashed, Clock, Contrast, Flag, X, type LucideIcon } from "lucide-react";
import { cn } from "@/components/kit/cn";
import type { AgentAction, ExecutionStatus } from "@/domain/agents/execution-status";

interface Look {
  label: string;
  icon: LucideIcon;
  className: string;
}

const open: Readonly<Record<Exclude<ExecutionStatus, "completed">, Look>> = {
  pending: { label: "Waiting", icon: CircleDashed, className: "text-subtle" },
  running: { label: "At work", icon: Contrast, className: "text-info" },
  failed: { label: "Failed", icon: CircleAlert, className: "text-error" },
  timed_out: { label: "Too late", icon: Clock, className: "text-subtle" },
};

/** How each action of an agent looks and is called everywhere. */
export const actionLooks: Readonly<Record<AgentAction, Look & { verb: string }>> = {
  approve: { label: "Approved", verb: "Approve", icon: Check, className: "text-online" },
  reject: { label: "Rejected", verb: "Reject", icon: X, className: "text-error" },
  flag: { label: "Flagged", verb: "Flag", icon: Flag, className: "text-warning" },
  skip: { label: "Skipped", verb: "Skip", icon: Ban, className: "text-subtle" },
};

export const statusLabels: Readonly<Record<ExecutionStatus, string>> = {
  pending: open.pending.label,
  running: open.running.label,
  completed: "Decided",
  failed: open.failed.label,
  timed_out: open.timed_out.label,
};

export interface ExecutionStatusProps {
  execution: { status: ExecutionStatus; action: AgentAction | null };
  /** It will time out soon. */
  overdue?: boolean;
  strong?: boolean;
}

/** The state of an execution as shape and word: what was decided, or how far it is. */
export function ExecutionStatusMark({ execution, overdue = false, strong = false }: ExecutionStatusProps) {
  const { status, action } = execution;
  const look = status === "completed" ? actionLooks[action ?? "skip"] : open[status];
  const Icon = look.icon;
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-middle whitespace-nowrap" title={status}>
      <Icon
        aria-hidden
        strokeWidth={2.25}
        className={cn("size-3.5 shrink-0", overdue ? "text-warning" : look.className)}
      />
      <span className={cn("truncate", strong && "font-medium", overdue && "text-warning-text")}>{look.label}</span>
    </span>
  );
}
