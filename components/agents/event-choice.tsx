"use client";

import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { CodeBlock } from "@/components/kit/code-block";
import { eventGroups, eventTexts } from "@/domain/platform-events/labels";
import { eventSamples } from "@/domain/platform-events/samples";
import { agentEventTypes } from "@/domain/platform-events/schema";

export type AgentEventType = (typeof agentEventTypes)[number];

const isAgentEvent = (event: string): event is AgentEventType => agentEventTypes.some((each) => each === event);

/** The events that agents subscribe to, in groups. */
const groups = eventGroups
  .map(({ label, events }) => ({ label, events: events.filter(isAgentEvent) }))
  .filter(({ events }) => events.length > 0);

const inOrder = (events: ReadonlySet<AgentEventType>): AgentEventType[] =>
  agentEventTypes.filter((event) => events.has(event));

/** What an agent is sent for an event. */
const buildSample = (event: AgentEventType) => ({
  ...eventSamples[event],
  execution_uid: "019a9e3b-1f70-7d1c-a1a3-2f5f7c1f0a42",
});

export interface EventChoiceProps {
  value: readonly AgentEventType[];
  onValueChange: (events: AgentEventType[]) => void;
}

/** Events to tick, with the body of the one under the pointer or the keyboard beside them. */
export function EventChoice({ value, onValueChange }: EventChoiceProps) {
  const [shown, setShown] = useState<AgentEventType>(value[0] ?? "result.submitted");
  const toggle = (event: AgentEventType, on: boolean) => {
    const next = new Set(value);
    if (on) next.add(event);
    else next.delete(event);
    onValueChange(inOrder(next));
    setShown(event);
  };
  return (
    <div className="grid gap-4 sm:grid-cols-[15rem_1fr]">
      <div className="flex flex-col gap-3">
        {groups.map((group) => (
          <div key={group.label} className="flex flex-col gap-1.5">
            <span className="text-meta text-subtle">{group.label}</span>
            {group.events.map((event) => (
              <span key={event} onMouseEnter={() => setShown(event)} onFocus={() => setShown(event)}>
                <Checkbox
                  checked={value.includes(event)}
                  onCheckedChange={(on) => toggle(event, on)}
                  label={<span className="font-mono text-meta">{event}</span>}
                />
              </span>
            ))}
          </div>
        ))}
      </div>
      <div className="min-w-0 max-sm:hidden">
        <p className="mb-1.5 text-meta text-muted">{eventTexts[shown]}. The agent gets:</p>
        <CodeBlock code={JSON.stringify(buildSample(shown), null, 2)} label={shown} className="[&_pre]:max-h-64" />
      </div>
    </div>
  );
}
