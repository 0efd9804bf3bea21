"use client";

import { useTimeZone } from "@/components/kit/preferences-provider";
import { Skeleton } from "@/components/kit/skeleton";
import { describeAbsence } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import type { RecordingTopic } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useLatestMessage } from "@/components/recording/session/use-latest-message";
import { UnreadableMessage } from "@/engine/messages/reading";
import { isGoalSchema, readGoals, type Goal } from "@/engine/messages/scenes/goals";

/** Actions of which the goals are shown. */
const maxCards = 8;

/** The goals of the recording's actions at the playhead. */
export function GoalsCards() {
  const { recording } = useTimeline();
  const topics = recording.topics.filter(({ schema, error }) => isGoalSchema(schema) && error === null);
  return topics.slice(0, maxCards).map((topic) => <GoalsCard key={topic.name} topic={topic} />);
}

function GoalsCard({ topic: { name, schema } }: { topic: RecordingTopic }) {
  const { zone } = useTimeZone();
  const { data, message, at } = useLatestMessage(name);
  // As high as a card with one goal, so that nothing below moves.
  if (!data) return <Skeleton className="h-16" />;
  if (!message || message.error !== null || BigInt(message.log_time_ns) > at) {
    const first = message && message.error === null ? BigInt(message.log_time_ns) : null;
    return (
      <p className="min-h-16 text-meta text-muted">
        {message && message.error !== null ? (
          <UnshownMessage reason={message.error} message={{ topic: name, time: BigInt(message.log_time_ns) }} />
        ) : (
          describeAbsence(name, first, at, zone)
        )}
      </p>
    );
  }
  let goals: Goal[];
  try {
    goals = readGoals(schema, message.value);
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    const place = { topic: name, time: BigInt(message.log_time_ns) };
    return (
      <p className="min-h-16 text-meta text-muted">
        <UnshownMessage reason={error.message} message={place} />
      </p>
    );
  }
  return (
    <section
      aria-label={`Goals of ${name}`}
      className="flex min-h-16 flex-col gap-1 rounded-panel border bg-surface p-3"
    >
      <h3 className="truncate font-mono text-meta text-subtle" title={name}>
        {name}
      </h3>
      {goals.length === 0 ? (
        <p className="text-meta text-muted">No goals</p>
      ) : (
        <ul className="flex flex-col gap-0.5 text-meta">
          {goals.map(({ id, status, text }, index) => (
            <li key={`${id} ${index}`} className="flex flex-wrap gap-x-2">
              <span className="font-medium">{status}</span>
              <span className="min-w-0 font-mono wrap-anywhere text-muted">{id}</span>
              {text && <span className="text-muted">{text}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
