import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { TagsCell, tagsText } from "@/components/kit/badge";
import { Bytes, NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { EventCounts } from "@/components/product/event-counts";
import { RecordingDuration } from "@/components/product/recording-cells";
import { SeverityCounts } from "@/components/product/severity-counts";
import { recordingTitle, type RecordingRow } from "./query";
import { RecordingStatus, recordingStatusText } from "./recording-status";

type Alerted = Pick<RecordingRow, "open_alerts" | "open_by_severity" | "resolved_alerts">;

/** Unresolved alerts by severity, the worst first; resolved ones only as a number. */
export function RecordingAlerts({ recording }: { recording: Alerted }) {
  const { open_alerts: open, open_by_severity: counts, resolved_alerts: resolved } = recording;
  if (open > 0) {
    return (
      <SeverityCounts
        counts={counts}
        total={open}
        words={(count, severity) => `${count} ${severity} ${count === "1" ? "alert" : "alerts"}, not resolved`}
      />
    );
  }
  if (resolved === 0) return <None />;
  return <span className="text-subtle tabular-nums">{resolved} resolved</span>;
}

/** The name; beside it whether it is of the demo fleet. An unnamed one is called by its device and its beginning. */
function RecordingName({ recording }: { recording: RecordingRow }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <TruncateMiddle
        text={recordingTitle(recording)}
        tail={10}
        className={recording.name ? undefined : "text-muted"}
      />
      <DemoMark of={recording} />
    </span>
  );
}

export const recordingColumns: readonly DataTableColumn<RecordingRow>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 104,
    ordering: "name",
    required: true,
    narrow: "title",
    text: (recording) => recordingTitle(recording) + (recording.demo ? " ".repeat(9) : ""),
    cell: (recording) => <RecordingName recording={recording} />,
  },
  {
    id: "started_at",
    header: "Started",
    width: 164,
    ordering: "started_at",
    descendingFirst: true,
    narrow: "meta",
    cell: (recording) => <InstantTime value={recording.started_at} precision="minute" />,
  },
  {
    id: "device",
    header: "Device",
    minWidth: 80,
    narrow: "meta",
    text: (recording) => recording.device_name,
    cell: (recording) => <TruncateMiddle text={recording.device_name} tail={3} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 76,
    align: "right",
    narrow: "meta",
    cell: (recording) => <RecordingDuration recording={recording} />,
  },
  {
    id: "size",
    header: "Size",
    width: 76,
    align: "right",
    ordering: "size_bytes",
    descendingFirst: true,
    narrow: "meta",
    cell: (recording) => (Number(recording.size_bytes) > 0 ? <Bytes value={Number(recording.size_bytes)} /> : <None />),
  },
  {
    id: "topics",
    header: "Topics",
    width: 64,
    align: "right",
    cell: (recording) => (recording.topic_count > 0 ? <NumberValue value={recording.topic_count} /> : <None />),
  },
  {
    id: "events",
    header: "Events",
    width: 80,
    cell: (recording) => <EventCounts counts={recording.events} more={recording.events_more} />,
  },
  {
    id: "alerts",
    header: "Alerts",
    width: 112,
    // On phones in the first line: the second is often full.
    narrow: "trailing",
    cell: (recording) => <RecordingAlerts recording={recording} />,
  },
  {
    id: "tags",
    header: "Tags",
    minWidth: 100,
    text: (recording) => tagsText(recording.tags, 2),
    cell: (recording) => <TagsCell tags={recording.tags} />,
  },
  {
    id: "status",
    header: "Status",
    minWidth: 128,
    narrow: "trailing",
    text: recordingStatusText,
    cell: (recording) => <RecordingStatus recording={recording} />,
  },
  {
    id: "messages",
    header: "Messages",
    width: 108,
    align: "right",
    hidden: true,
    cell: (recording) => <NumberValue value={Number(recording.message_count)} />,
  },
  {
    id: "created_at",
    header: "Created",
    width: 96,
    align: "right",
    hidden: true,
    ordering: "created_at",
    descendingFirst: true,
    cell: (recording) => <RelativeTime value={recording.created_at} rich={false} className="text-muted" />,
  },
];
