"use client";

import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { CodeBlock } from "@/components/kit/code-block";
import { eventGroups, eventTexts } from "@/domain/platform-events/labels";
import { eventSamples } from "@/domain/platform-events/samples";
import type { PlatformEventType } from "@/domain/platform-events/schema";

interface EventPickerProps<Type extends PlatformEventType> {
  value: readonly Type[];
  onValueChange: (events: Type[]) => void;
  /** Events that can be chosen. */
  events: readonly Type[];
  /** Members of the body beyond those that every receiver of an event gets. */
  extra?: Readonly<Record<string, unknown>>;
}

/** Events to subscribe to, in groups, with the body of the one that is pointed at or focused beside them. */
export function EventPicker<Type extends PlatformEventType>(props: EventPickerProps<Type>) {
  const { value, onValueChange, events, extra } = props;
  const isOffered = (event: PlatformEventType): event is Type => events.some((each) => each === event);
  const [shown, setShown] = useState<PlatformEventType>(value[0] ?? events[0] ?? "dataset.created");
  const groups = eventGroups
    .map((group) => ({ ...group, events: group.events.filter(isOffered) }))
    .filter((group) => group.events.length > 0);
  const order = groups.flatMap((group) => group.events);
  const set = (changed: readonly Type[], on: boolean) =>
    onValueChange(order.filter((event) => (changed.includes(event) ? on : value.includes(event))));
  return (
    <div className="grid gap-4 md:grid-cols-[minmax(0,17rem)_minmax(0,1fr)]">
      <div className="flex flex-col gap-3">
        {groups.map((group) => {
          const chosen = group.events.filter((event) => value.includes(event));
          const all = chosen.length === group.events.length;
          return (
            <fieldset key={group.label} className="min-w-0">
              <legend className="sr-only">{group.label}</legend>
              {group.events.length > 1 ? (
                <Checkbox
                  label={<span className="font-medium">{group.label}</span>}
                  checked={all}
                  indeterminate={chosen.length > 0 && !all}
                  onCheckedChange={(on) => set(group.events, on)}
                />
              ) : (
                <p className="text-table font-medium">{group.label}</p>
              )}
              <ul className="mt-1 flex flex-col">
                {group.events.map((event) => (
                  <li
                    key={event}
                    onPointerEnter={() => setShown(event)}
                    onFocus={() => setShown(event)}
                    className={cn("-mx-2 rounded-control px-2 py-0.5 pl-8", shown === event && "bg-hover")}
                  >
                    <Checkbox
                      label={<code className="font-mono text-meta">{event}</code>}
                      hint={eventTexts[event]}
                      checked={value.includes(event)}
                      onCheckedChange={(on) => set([event], on)}
                    />
                  </li>
                ))}
              </ul>
            </fieldset>
          );
        })}
      </div>
      <div className="min-w-0 md:sticky md:top-0 md:self-start">
        <CodeBlock label={`Body of ${shown}`} code={JSON.stringify({ ...eventSamples[shown], ...extra }, null, 2)} />
      </div>
    </div>
  );
}
