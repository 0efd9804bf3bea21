import { Tags } from "@/components/kit/badge";
import { Bytes, NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { EventCounts } from "@/components/product/event-counts";
import { RecordingDuration } from "@/components/product/recording-cells";
import { SeverityStatus } from "@/components/product/status";
import { cellCeiling } from "@/domain/limits";
import type { RecordingRow } from "./query";
import { RecordingStatus } from "./recording-status";

/** Unresolved alerts, marked by the worst of them; resolved ones only as a number. */
export function RecordingAlerts({ recording }: { recording: RecordingRow }) {
  const { open_alerts: open, worst_severity: worst, resolved_alerts: resolved } = recording;
  if (open > 0 && worst) {
    return (
      <SeverityStatus severity={worst}>
        <span className="tabular-nums">{open >= cellCeiling ? `${cellCeiling}+` : open}</span>
        <span aria-hidden className="text-subtle">
          {" "}
          {worst}
        </span>
        <span className="sr-only"> not resolved, worst {worst}</span>
      </SeverityStatus>
    );
  }
  if (resolved === 0) return <None />;
  return <span className="text-subtle tabular-nums">{resolved} resolved</span>;
}

export const recordingColumns: readonly DataTableColumn<RecordingRow>[] = [
  {
    id: "started_at",
    header: "Started",
    width: 184,
    required: true,
    narrow: "title",
    cell: (recording) => <InstantTime value={recording.started_at} />,
  },
  {
    id: "device",
    header: "Device",
    width: 128,
    narrow: "meta",
    cell: (recording) => <Truncate text={recording.device_name} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 84,
    align: "right",
    narrow: "meta",
    cell: (recording) => <RecordingDuration recording={recording} />,
  },
  {
    id: "size",
    header: "Size",
    width: 80,
    align: "right",
    narrow: "meta",
    cell: (recording) => (Number(recording.size_bytes) > 0 ? <Bytes value={Number(recording.size_bytes)} /> : <None />),
  },
  {
    id: "topics",
    header: "Topics",
    width: 68,
    align: "right",
    cell: (recording) => (recording.topic_count > 0 ? <NumberValue value={recording.topic_count} /> : <None />),
  },
  {
    id: "events",
    header: "Events",
    width: 104,
    cell: (recording) => <EventCounts counts={recording.events} more={recording.events_more} />,
  },
  { id: "alerts", header: "Alerts", width: 104, cell: (recording) => <RecordingAlerts recording={recording} /> },
  { id: "tags", header: "Tags", width: 124, cell: (recording) => <Tags tags={recording.tags} max={2} /> },
  {
    id: "status",
    header: "Status",
    minWidth: 208,
    narrow: "trailing",
    cell: (recording) => <RecordingStatus recording={recording} />,
  },
  {
    id: "name",
    header: "Name",
    minWidth: 140,
    hidden: true,
    cell: (recording) => (recording.name ? <Truncate text={recording.name} /> : <None />),
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
    cell: (recording) => <RelativeTime value={recording.created_at} rich={false} className="text-muted" />,
  },
];
