"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes } from "@/components/kit/measure";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { InstantTime } from "@/components/kit/time";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { toRange } from "@/components/moments/source";
import { exactLabel } from "@/components/plots/axis-labels";
import { UidChip } from "@/components/product/uid-chip";
import type { RecordingDetail } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Attachment = Outputs["recordings"]["attachments"][number];

/** A name that downloads its file; plain text while there is no link. */
function DownloadName({ href, name, title }: { href: string | null; name: string; title: string }) {
  if (href === null)
    return (
      <span className="min-w-0 truncate" title={title}>
        {name}
      </span>
    );
  return (
    <a href={href} className="min-w-0 truncate text-accent-text underline underline-offset-2" title={title}>
      {name}
    </a>
  );
}

/** The keys and values of a metadata record, in full on demand: a value may be a complete document. */
function MetadataValues({ attachment: { values, truncated } }: { attachment: Attachment }) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0 && !truncated) return null;
  return (
    <details>
      <summary className="cursor-pointer text-muted">{plural(entries.length, "value")}</summary>
      <dl className="pl-4 text-muted">
        {entries.map(([key, value]) => (
          <div key={key} className="flex min-w-0 gap-2">
            <dt className="shrink-0">{key}</dt>
            <dd className="max-h-40 min-w-0 overflow-auto break-words whitespace-pre-wrap">{value}</dd>
          </div>
        ))}
      </dl>
      {truncated && <p className="pl-4 text-muted">Some of it is only in the download.</p>}
    </details>
  );
}

/** `850 ms, 1.2 s of processor time`; null when it is not known. */
function formatProcessing({ processing_seconds: seconds, processing_cpu_seconds: cpu }: RecordingDetail) {
  if (seconds === null || cpu === null) return null;
  return `${formatDuration(seconds * 1_000)}, ${formatDuration(cpu * 1_000)} of processor time`;
}

const formatNames: Readonly<Record<string, string>> = { rosbag: "ROS 1 bag", db3: "ROS 2 db3", ulog: "ULog" };

/** Details of the recording itself: format, counts, files, gaps and warnings. */
export default function DetailsPanel() {
  const { recording, axis } = useTimeline();
  const attachmentsTitle = useId();
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const files = useQuery(trpc.recordings.files.queryOptions({ uid: recording.uid }));
  const attachments = useQuery(trpc.recordings.attachments.queryOptions({ uid: recording.uid }));
  return (
    <div className="flex flex-col gap-5 p-4">
      <KeyValue
        items={[
          ["Format", formatNames[recording.format ?? ""] ?? (recording.format ?? "").toUpperCase()],
          ["Messages", formatNumber(Number(recording.message_count), 0)],
          ["Topics", formatNumber(recording.topic_count, 0)],
          ["Begins", <InstantTime key="start" value={recording.started_at} precision="millisecond" />],
          ["Ends", <InstantTime key="end" value={recording.ended_at} precision="millisecond" />],
          ["Uploaded", <InstantTime key="created" value={recording.created_at} />],
          ["Processed in", formatProcessing(recording)],
          ["Uid", <UidChip key="uid" uid={recording.uid} max={20} />],
        ]}
      />
      {recording.warnings.length > 0 && (
        <section>
          <h3 className="mb-1 text-table font-semibold">Warnings</h3>
          <ul className="list-disc pl-4 text-table text-muted">
            {recording.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      {recording.gaps.length > 0 && (
        <section>
          <h3 className="mb-1 text-table font-semibold">Gaps</h3>
          <ul>
            {recording.gaps.slice(0, 100).map((gap) => (
              <li key={`${gap.start_ns} ${gap.kind}`} className="flex items-center gap-1">
                <button
                  type="button"
                  className="flex min-w-0 flex-1 justify-between gap-2 rounded-control py-0.5 text-left text-table hover:bg-hover"
                  onClick={() => axis.play(axis.seconds(BigInt(gap.start_ns)))}
                >
                  <span>{gap.kind === "truncated" ? "Truncated" : "No data"}</span>
                  <span className="text-muted tabular-nums">
                    {exactLabel(axis, axis.seconds(BigInt(gap.start_ns)), zone)},{" "}
                    {formatDuration(Number(BigInt(gap.end_ns) - BigInt(gap.start_ns)) / 1e6)}
                  </span>
                </button>
                <AddToDataset
                  rowLabel={`Add what is around the gap at ${exactLabel(axis, axis.seconds(BigInt(gap.start_ns)), zone)} to a dataset`}
                  getSource={() => ({
                    kind: "range",
                    recordingId: recording.uid,
                    ...toRange(BigInt(gap.start_ns), BigInt(gap.end_ns) - BigInt(gap.start_ns)),
                  })}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3 className="mb-1 text-table font-semibold">Files</h3>
        <ul>
          {files.data?.map((file) => (
            <li key={file.uid} className="flex min-w-0 items-center justify-between gap-2 py-0.5 text-table">
              <DownloadName href={file.download_url} name={file.name} title={file.path} />
              {file.derived_from !== null && <span className="ml-auto shrink-0 text-muted">made by Muster</span>}
              <Bytes value={Number(file.size_bytes)} />
            </li>
          ))}
        </ul>
        {files.data?.length === 0 && <p className="text-table text-muted">None.</p>}
        {files.error && <p className="text-table text-muted">The files could not be listed.</p>}
      </section>
      {(attachments.error !== null || (attachments.data?.length ?? 0) > 0) && (
        <section aria-labelledby={attachmentsTitle}>
          <h3 id={attachmentsTitle} className="mb-1 text-table font-semibold">
            Attachments and metadata
          </h3>
          <ul>
            {attachments.data?.map((attachment, at) => (
              // Names repeat.
              <li key={`${at} ${attachment.name}`} className="py-0.5 text-table">
                <div className="flex min-w-0 items-center justify-between gap-2">
                  <DownloadName
                    href={attachment.download_url}
                    name={attachment.name || "(no name)"}
                    title={attachment.media_type}
                  />
                  <Bytes value={Number(attachment.size_bytes)} />
                </div>
                <MetadataValues attachment={attachment} />
              </li>
            ))}
          </ul>
          {attachments.error && <p className="text-table text-muted">The attachments could not be listed.</p>}
        </section>
      )}
    </div>
  );
}
