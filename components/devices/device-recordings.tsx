"use client";

import { TagsCell } from "@/components/kit/badge";
import { CodeBlock } from "@/components/kit/code-block";
import { EmptyState } from "@/components/kit/empty-state";
import { Bytes, NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { InstantTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { useOrigin } from "@/components/product/origin";
import { RecordingDuration, recordingLooks } from "@/components/product/recording-cells";
import { Status } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { readCompressions, readFormats } from "@/domain/recordings/file-names";
import { uploadCommand } from "./commands";

type Recording = Outputs["recordings"]["list"]["results"][number];

/** The state, with how far processing is; beside it the first line of what went wrong. */
function RecordingStatus({ recording }: { recording: Recording }) {
  const { tone, label } = recordingLooks[recording.status];
  const done = recording.status === "processing" ? recording.progress : null;
  const note = (recording.status === "error" ? recording.error_message : recording.warnings[0])?.split("\n")[0];
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Status
        tone={recording.warnings.length > 0 && recording.status === "ready" ? "warning" : tone}
        className="shrink-0"
      >
        {label}
        {done !== null && <span className="tabular-nums"> {Math.round(done * 100)} %</span>}
        {recording.warnings.length > 0 && <span className={note ? "sm:sr-only" : undefined}> with warnings</span>}
      </Status>
      {note && <Truncate text={note} className="text-muted max-sm:hidden" />}
    </span>
  );
}

const columns: readonly DataTableColumn<Recording>[] = [
  {
    id: "started_at",
    header: "Started",
    width: 208,
    required: true,
    narrow: "title",
    cell: (recording) => <InstantTime value={recording.started_at} />,
  },
  {
    id: "status",
    header: "Status",
    minWidth: 200,
    narrow: "trailing",
    cell: (recording) => <RecordingStatus recording={recording} />,
  },
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    cell: (recording) => (recording.name ? <Truncate text={recording.name} /> : <None />),
  },
  {
    id: "duration",
    header: "Duration",
    width: 104,
    align: "right",
    narrow: "meta",
    cell: (recording) => <RecordingDuration recording={recording} />,
  },
  {
    id: "size",
    header: "Size",
    width: 104,
    align: "right",
    narrow: "meta",
    cell: (recording) => <Bytes value={Number(recording.size_bytes)} />,
  },
  {
    id: "topics",
    header: "Topics",
    width: 88,
    align: "right",
    cell: (recording) => <NumberValue value={recording.topic_count} />,
  },
  {
    id: "messages",
    header: "Messages",
    width: 112,
    align: "right",
    cell: (recording) => <NumberValue value={Number(recording.message_count)} />,
  },
  { id: "tags", header: "Tags", minWidth: 140, cell: (recording) => <TagsCell tags={recording.tags} max={3} /> },
];

/** What the device recorded, newest first. */
export function DeviceRecordings({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const { table } = useListQuery(
    trpc.recordings.list.infiniteQueryOptions({ device_id: uid, ordering: "-started_at" }, nextPage),
  );
  return (
    <DataTable
      id="device-recordings"
      label="Recordings"
      noun={["recording", "recordings"]}
      columns={columns}
      {...table}
      rowKey={(recording) => recording.uid}
      rowLabel={(recording) => recording.name || recording.uid}
      toolbar={<TableNote>What the device recorded, the last recorded first.</TableNote>}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No recordings yet"
          description={`Upload ${readFormats}, also packed as ${readCompressions}, with the device's own token, or drop files here. It is indexed, and every rule runs over it.`}
          action={<CodeBlock className="w-full" label="Terminal" code={uploadCommand(origin)} />}
        />
      }
    />
  );
}
