import type { AgentMode } from "@/domain/agents/execution-status";

export const modeLabels: Readonly<Record<AgentMode, string>> = { push: "Push", poll: "Polls" };

/** How an agent gets its executions: `Polls`, or the host that they are sent to. */
export function describeMode({ callback_url }: { callback_url: string }): string {
  if (callback_url === "") return "Polls";
  return `Push to ${URL.canParse(callback_url) ? new URL(callback_url).host : callback_url}`;
}

/** Milliseconds: work that waits longer than this for an agent that does not ask is a reason to look. */
const unseenMs = 10 * 60_000;
/** Milliseconds before its deadline at which an execution is shown as urgent. */
const urgentMs = 2 * 60_000;

/** Whether work waits for an agent that polls but has not asked for it for long. */
export const isUnseen = (
  agent: { callback_url: string; last_seen_at: string | null; created_at: string; waiting: number },
  now: number,
): boolean =>
  agent.callback_url === "" && agent.waiting > 0 && now - Date.parse(agent.last_seen_at ?? agent.created_at) > unseenMs;

/** Milliseconds until an open execution times out; null for others. */
export const timeLeft = (execution: { status: string; deadline: string }, now: number): number | null =>
  execution.status === "pending" || execution.status === "running" ? Date.parse(execution.deadline) - now : null;

export const isUrgent = (leftMs: number | null): boolean => leftMs !== null && leftMs < urgentMs;

/** The share of an agent's decisions that people decided otherwise, such as `4 %`; null without any decision. */
export const overruledShare = ({ decided, overruled }: { decided: number; overruled: number }): string | null =>
  decided === 0 ? null : `${Math.round((overruled / decided) * 100)} %`;

interface Judged {
  action: string | null;
  acted_by: string | null;
  by_hand: boolean;
  result_status: string | null;
  decided_by: string | null;
}

/** What became of the result that an execution judged; null where it judged none. */
export function describeOutcome(execution: Judged): { text: string; overruled: boolean } | null {
  const { action, acted_by, by_hand, result_status: status, decided_by } = execution;
  if (action !== "approve" && action !== "reject") return null;
  if (status === null) return { text: "Its result was deleted since.", overruled: false };
  const wanted = action === "approve" ? "accepted" : "rejected";
  if (status === wanted) {
    // Somebody else may have decided the same before.
    const who = by_hand || decided_by !== acted_by ? (decided_by ?? "a person") : "the agent";
    return { text: `Result ${wanted} by ${who}`, overruled: false };
  }
  if (status === "submitted") return { text: "Taken back: the result is open again", overruled: true };
  return { text: `Overruled: the result is ${status}${decided_by ? ` by ${decided_by}` : ""}`, overruled: true };
}
