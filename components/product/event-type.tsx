import { cn } from "@/components/kit/cn";
import { Shape, type ShapeName } from "@/components/kit/shape";
import type { EventType } from "@/domain/events/event-type";

/** Shape, colour and label of each type of event; the worst first. An error is no disc, which is a severity beside it. */
export const eventLooks: Record<EventType, { shape: ShapeName; className: string; label: string; plural: string }> = {
  error: { shape: "cross", className: "text-critical", label: "Error", plural: "errors" },
  anomaly: { shape: "star", className: "text-error", label: "Anomaly", plural: "anomalies" },
  warning: { shape: "triangle", className: "text-warning", label: "Warning", plural: "warnings" },
  state_change: { shape: "diamond", className: "text-maintenance", label: "State change", plural: "state changes" },
  info: { shape: "disc", className: "text-info", label: "Info", plural: "infos" },
  custom: { shape: "square", className: "text-subtle", label: "Custom", plural: "custom events" },
};

/** The worst first, as rows and stacks show them. */
export const eventTypeOrder = Object.keys(eventLooks) as readonly EventType[];
export const eventTypeOptions = eventTypeOrder.map((value) => ({ value, label: eventLooks[value].label }));

/** A type of event as shape and label. */
export function EventTypeMark({ type, className }: { type: EventType; className?: string }) {
  const look = eventLooks[type];
  return (
    <span className={cn("inline-flex items-center gap-1.5 align-middle whitespace-nowrap", className)}>
      <Shape name={look.shape} className={look.className} />
      {look.label}
    </span>
  );
}
