import { CircleAlert, CircleCheck, Clock } from "lucide-react";
import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { useClock } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { Switch } from "@/components/kit/switch";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status } from "@/components/product/status";
import { describeMode, isUnseen, overruledShare } from "./agent-texts";
import type { Agent } from "./query";

/** What an agent did in a day: done, failed, timed out; the last two only where there are any. */
export function DayCounts({ day }: { day: Pick<Agent, "done" | "failed" | "timed_out"> }) {
  const { done, failed, timed_out: late } = day;
  if (done + failed + late === 0) return <None />;
  const parts = [
    { icon: CircleCheck, count: done, label: "done", className: "text-subtle", always: true },
    { icon: CircleAlert, count: failed, label: "failed", className: "text-error", always: false },
    { icon: Clock, count: late, label: "too late", className: "text-warning", always: false },
  ].filter(({ count, always }) => always || count > 0);
  return (
    <span className="flex items-center gap-3 tabular-nums">
      {parts.map(({ icon: Icon, count, label, className }) => (
        <span key={label} className="flex items-center gap-1" title={`${count} ${label} in 24 hours`}>
          <Icon aria-hidden className={cn("size-3.5", className)} />
          {count.toLocaleString("en-US")}
          <span className="sr-only"> {label}</span>
        </span>
      ))}
    </span>
  );
}

/** When an agent last asked or received something; a warning while work waits for one that does not ask. */
export function LastSeen({
  agent,
}: {
  agent: Pick<Agent, "callback_url" | "last_seen_at" | "created_at" | "waiting">;
}) {
  const unseen = useClock((now) => isUnseen(agent, now));
  const seen = <RelativeTime value={agent.last_seen_at} rich={false} className="text-muted" />;
  if (!unseen) return seen;
  return (
    <span title={`${agent.waiting} waiting, and it does not ask for them`}>
      <Status tone="warning">{seen}</Status>
    </span>
  );
}

/** The share of decisions that people decided otherwise. */
export function Overruled({ of }: { of: Pick<Agent, "decided" | "overruled"> }) {
  const share = overruledShare(of);
  if (share === null) return <None />;
  return (
    <span className="tabular-nums" title={`${of.overruled} of its newest ${of.decided} decisions`}>
      {share}
    </span>
  );
}

/** The columns; `onToggle` pauses an agent or lets it go on. */
export const agentColumns = ({
  onToggle,
  reason,
}: {
  onToggle: (agent: Agent, active: boolean) => void;
  /** Why the person may not do that. */
  reason: string | undefined;
}): readonly DataTableColumn<Agent>[] => [
  {
    id: "is_active",
    header: "Active",
    width: 72,
    narrow: "trailing",
    cell: (agent) => (
      <span onClick={(event) => event.stopPropagation()}>
        <Switch
          checked={agent.is_active}
          disabledReason={reason}
          aria-label={`${agent.name} is active`}
          onCheckedChange={(active) => onToggle(agent, active)}
        />
      </span>
    ),
  },
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    cell: (agent) => (
      <WithDemoMark of={agent}>
        <Truncate text={agent.name} className={agent.is_active ? undefined : "text-muted"} />
      </WithDemoMark>
    ),
  },
  {
    id: "mode",
    header: "Mode",
    width: 216,
    narrow: "meta",
    cell: (agent) => <Truncate text={describeMode(agent)} className="text-muted" />,
  },
  {
    id: "events",
    header: "Events",
    width: 72,
    align: "right",
    cell: (agent) => <span title={agent.events.join(", ")}>{agent.events.length}</span>,
  },
  {
    id: "project",
    header: "Project",
    width: 150,
    hidden: true,
    cell: (agent) =>
      agent.project === null ? (
        <span className="text-subtle">Every project</span>
      ) : (
        <Truncate text={agent.project_name ?? "Another project"} />
      ),
  },
  {
    id: "task_types",
    header: "Task types",
    width: 160,
    hidden: true,
    cell: (agent) =>
      agent.task_types.length === 0 ? (
        <span className="text-subtle">Every type</span>
      ) : (
        <Truncate text={agent.task_types.join(", ")} />
      ),
  },
  { id: "day", header: "24 h", width: 150, narrow: "meta", cell: (agent) => <DayCounts day={agent} /> },
  { id: "p50", header: "p50", width: 72, align: "right", cell: (agent) => <Duration ms={agent.p50_ms} /> },
  { id: "overruled", header: "Overruled", width: 96, align: "right", cell: (agent) => <Overruled of={agent} /> },
  {
    id: "last_seen_at",
    header: "Last seen",
    width: 128,
    align: "right",
    narrow: "meta",
    cell: (agent) => <LastSeen agent={agent} />,
  },
];
