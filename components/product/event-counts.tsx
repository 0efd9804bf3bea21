import { None } from "@/components/kit/none";
import { Shape } from "@/components/kit/shape";
import type { EventType } from "@/domain/events/event-type";
import { eventLooks, eventTypeOrder } from "./event-type";

export interface EventCountsProps {
  counts: Partial<Record<EventType, number>>;
  /** Counting stopped before the last one. */
  more?: boolean;
}

/** How many events of which type, in little room: `● 3 ▲ 12`. */
export function EventCounts({ counts, more = false }: EventCountsProps) {
  const types = eventTypeOrder.filter((type) => (counts[type] ?? 0) > 0);
  if (types.length === 0) return <None />;
  const labels = types.map(
    (type) => `${counts[type]} ${counts[type] === 1 ? eventLooks[type].label.toLowerCase() : eventLooks[type].plural}`,
  );
  return (
    <span
      title={`${labels.join(", ")}${more ? " and more" : ""}`}
      className="flex min-w-0 items-center gap-2 overflow-hidden tabular-nums"
    >
      {types.map((type, at) => (
        <span key={type} className="flex shrink-0 items-center gap-1">
          <Shape name={eventLooks[type].shape} className={eventLooks[type].className} />
          <span aria-hidden>{counts[type]}</span>
          <span className="sr-only">{labels[at]}</span>
        </span>
      ))}
      {more && <span className="text-subtle">+</span>}
    </span>
  );
}
