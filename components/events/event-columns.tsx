import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { TagsCell, tagsText } from "@/components/kit/badge";
import { Duration } from "@/components/kit/measure";
import { InstantTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { EventTypeMark } from "@/components/product/event-type";
import { SeverityStatus } from "@/components/product/status";
import type { EventRow } from "./query";

const sources: Record<EventRow["source"], string> = {
  user: "Person",
  api_key: "API key",
  device: "Device",
  rule: "Rule",
};

/** Who or what created an event: a name, marked with the kind of source. A name that the label says already is left out. */
export function EventSource({
  event: { source, source_name: name, label },
}: {
  event: Pick<EventRow, "source" | "source_name" | "label">;
}) {
  const isSaid = name === "" || name === label;
  return (
    <span title={name ? `${sources[source]}: ${name}` : sources[source]} className="block min-w-0 truncate">
      {isSaid ? sources[source] : name}
      {!isSaid && source !== "user" && <span className="text-subtle"> {sources[source]}</span>}
    </span>
  );
}

/** What an event's recording is called in a cell. */
export const recordingName = (event: Pick<EventRow, "recording_name" | "recording_started_at">): string =>
  event.recording_name || `${event.recording_started_at.slice(0, 16).replace("T", " ")} UTC`;

export const eventColumns: readonly DataTableColumn<EventRow>[] = [
  {
    id: "timestamp",
    header: "Time",
    width: 212,
    narrow: "meta",
    ordering: "timestamp",
    cell: (event) => <InstantTime value={event.timestamp} precision="millisecond" />,
  },
  { id: "type", header: "Type", width: 116, narrow: "meta", cell: (event) => <EventTypeMark type={event.type} /> },
  {
    id: "severity",
    header: "Severity",
    width: 92,
    narrow: "leading",
    cell: (event) => <SeverityStatus severity={event.severity} />,
  },
  {
    id: "label",
    header: "Label",
    minWidth: 150,
    required: true,
    narrow: "title",
    text: (event) => event.label,
    cell: (event) => (
      <WithDemoMark of={event}>
        <Truncate text={event.label} />
      </WithDemoMark>
    ),
  },
  {
    id: "device",
    header: "Device",
    minWidth: 100,
    narrow: "meta",
    text: (event) => event.device_name,
    cell: (event) => <Truncate text={event.device_name} />,
  },
  {
    id: "recording",
    header: "Recording",
    minWidth: 120,
    text: recordingName,
    cell: (event) => <Truncate text={recordingName(event)} className="text-muted" />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 84,
    align: "right",
    cell: (event) => <Duration ms={event.duration_ms} />,
  },
  {
    id: "tags",
    header: "Tags",
    minWidth: 96,
    text: (event) => tagsText(event.tags, 2),
    cell: (event) => <TagsCell tags={event.tags} />,
  },
  {
    id: "source",
    header: "Source",
    minWidth: 120,
    text: (event) => `${event.source_name} ${event.source === "user" ? "" : sources[event.source]}`,
    cell: (event) => <EventSource event={event} />,
  },
];
