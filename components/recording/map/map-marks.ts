import { drawEventMark, drawSeverityMark } from "@/components/plots/marks";
import type { TimeAxis } from "@/components/plots/time-axis";
import type { MapMark } from "@/components/recording/map/draw-map";
import type { EventLane, Lanes } from "@/components/recording/session/query";

/** More marks would cover the track. */
const maxMarks = 200;

/** Where alerts began and events happened, for maps; alerts lie above events. */
export function listMapMarks(axis: TimeAxis, lanes: Lanes | undefined, events: EventLane | undefined): MapMark[] {
  const ofEvents = (events?.events ?? []).map(({ at_ns: at, type }): MapMark => ({
    seconds: axis.seconds(BigInt(at)),
    draw: (context, palette, px, py) => drawEventMark(context, palette, type, px, py),
  }));
  const ofAlerts = (lanes?.alerts ?? []).flatMap(({ ranges, severity }) =>
    ranges.map(({ from_ns: from }): MapMark => ({
      seconds: axis.seconds(BigInt(from)),
      draw: (context, palette, px, py) => drawSeverityMark(context, palette, severity, px, py),
    })),
  );
  return [...ofEvents.slice(0, maxMarks), ...ofAlerts.slice(0, maxMarks)];
}
