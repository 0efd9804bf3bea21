import { KeyValue } from "@/components/kit/key-value";
import { Duration } from "@/components/kit/measure";
import { InstantTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { DayCounts, LastSeen, Overruled } from "./agent-columns";
import type { AgentActivity, AgentDetail } from "./query";

export interface AgentFactsProps {
  agent: Omit<AgentDetail, "execution_stats">;
  /** Undefined while it loads. */
  activity: AgentActivity | undefined;
}

/** What an agent is set to, and what it did. */
export function AgentFacts({ agent, activity }: AgentFactsProps) {
  return (
    <div className="flex flex-col gap-4">
      <KeyValue
        items={[
          ["Last seen", <LastSeen key="seen" agent={{ ...agent, waiting: activity?.waiting ?? 0 }} />],
          ["24 hours", activity && <DayCounts key="day" day={activity} />],
          ["Waiting", activity?.waiting.toLocaleString("en-US")],
          ["p50 decision", activity && <Duration key="p50" ms={activity.p50_ms} />],
          ["Overruled", activity && <Overruled key="overruled" of={activity} />],
        ]}
      />
      <KeyValue
        items={[
          [
            "Mode",
            agent.callback_url === "" ? (
              "Polls for its executions"
            ) : (
              <span key="mode" className="font-mono text-meta break-all">
                {agent.callback_url}
              </span>
            ),
          ],
          [
            "Events",
            <ul key="events" className="font-mono text-meta leading-5">
              {agent.events.map((event) => (
                <li key={event}>{event}</li>
              ))}
            </ul>,
          ],
          ["Project", agent.project === null ? "Every project" : (activity?.project_name ?? "Another project")],
          ["Task types", agent.task_types.length === 0 ? "Every type" : agent.task_types.join(", ")],
          ["Created", <InstantTime key="created" value={agent.created_at} precision="minute" />],
          ["Uid", <UidChip key="uid" uid={agent.uid} max={20} />],
        ]}
      />
      {agent.warnings.length > 0 && (
        <Status tone="warning" className="whitespace-normal!">
          No task of Muster is of type {agent.warnings.join(", ")}.
        </Status>
      )}
    </div>
  );
}
