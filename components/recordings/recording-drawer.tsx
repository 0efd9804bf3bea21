"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Tags } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes, NumberValue } from "@/components/kit/measure";
import type { MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import { DatasetMarks } from "@/components/moments/dataset-marks";
import { DeviceLink } from "@/components/product/device-link";
import { EventCounts } from "@/components/product/event-counts";
import { RecordingDuration } from "@/components/product/recording-cells";
import { recordingHref } from "@/components/product/recording-links";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { bySeverity } from "@/domain/severity";
import { recordingTitle, type RecordingRow } from "./query";
import { RecordingAlerts } from "./recording-columns";
import { RecordingStatus } from "./recording-status";

export interface RecordingDrawerProps {
  /** The recording shown; null closes the drawer. */
  uid: string | null;
  /** The same recording as the list has it. */
  row: RecordingRow | undefined;
  menu: (recording: RecordingRow) => MenuItem[];
  onClose: () => void;
}

const shownTopics = 12;

/** A recording at a glance, beside the list: its data, its findings, links to more. */
export function RecordingDrawer({ uid, row, menu, onClose }: RecordingDrawerProps) {
  const trpc = useTRPC();
  const detail = useQuery({ ...trpc.recordings.get.queryOptions({ uid: uid ?? "" }), enabled: uid !== null });
  const resource: RecordingRow | undefined =
    row ??
    (detail.data && {
      ...detail.data,
      events: {},
      events_more: false,
      open_alerts: 0,
      worst_severity: null,
      open_by_severity: bySeverity([]),
      resolved_alerts: 0,
      upload: null,
    });
  const topics = detail.data?.topics;
  return (
    <ResourceDrawer
      uid={uid}
      noun="recording"
      resource={resource}
      getName={recordingTitle}
      subtitle={(recording) => <RecordingStatus recording={recording} />}
      links={(recording) => (
        <>
          <ButtonLink href={recordingHref(recording.uid)} size="sm">
            Open timeline
          </ButtonLink>
          <CopyLink compact size="sm" />
        </>
      )}
      menu={menu}
      query={detail}
      onClose={onClose}
    >
      {(recording) => (
        <>
          {recording.status === "error" && recording.error_message && (
            <p className="text-table whitespace-pre-line text-critical-text">{recording.error_message}</p>
          )}
          <KeyValue
            items={[
              ["Device", <DeviceLink key="device" of={recording} />],
              ["Started", <InstantTime key="started" value={recording.started_at} precision="millisecond" />],
              ["Ended", <InstantTime key="ended" value={recording.ended_at} precision="millisecond" />],
              ["Datasets", <DatasetMarks key="datasets" kind="recordings" uid={recording.uid} />],
              ["Duration", <RecordingDuration key="duration" recording={recording} />],
              ["Size", <Bytes key="size" value={Number(recording.size_bytes)} />],
              ["Messages", <NumberValue key="messages" value={Number(recording.message_count)} />],
              ["Format", recording.format?.toUpperCase()],
              ["Tags", <Tags key="tags" tags={recording.tags} max={8} />],
              ["Created", <RelativeTime key="created" value={recording.created_at} />],
              ["Uid", <UidChip key="uid" uid={recording.uid} max={24} />],
            ]}
          />
          {row && (
            <section>
              <h3 className="mb-2 text-table font-semibold">Findings</h3>
              <KeyValue
                items={[
                  [
                    "Events",
                    <Link
                      key="events"
                      className="rounded-control hover:underline"
                      href={`/events?recording_id=${recording.uid}`}
                    >
                      <EventCounts counts={recording.events} more={recording.events_more} />
                    </Link>,
                  ],
                  [
                    "Alerts",
                    <Link
                      key="alerts"
                      className="rounded-control hover:underline"
                      href={`/alerts?recording_id=${recording.uid}`}
                    >
                      <RecordingAlerts recording={recording} />
                    </Link>,
                  ],
                ]}
              />
            </section>
          )}
          {recording.warnings.length > 0 && (
            <section>
              <h3 className="mb-2 text-table font-semibold">Warnings</h3>
              <ul className="flex list-disc flex-col gap-1 pl-4 text-table text-muted">
                {recording.warnings.slice(0, 8).map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            </section>
          )}
          <section>
            <h3 className="mb-2 text-table font-semibold">Topics</h3>
            {topics === undefined ? (
              <SkeletonText lines={4} />
            ) : topics.length === 0 ? (
              <p className="text-table text-subtle">None known yet.</p>
            ) : (
              <>
                <table className="w-full table-fixed text-table">
                  <thead className="sr-only">
                    <tr>
                      <th>Topic</th>
                      <th>Messages</th>
                      <th>Rate</th>
                    </tr>
                  </thead>
                  <tbody>
                    {topics.slice(0, shownTopics).map((topic) => (
                      <tr key={topic.name}>
                        <td className="py-1 pr-3">
                          <Link
                            href={recordingHref(recording.uid, { topic: topic.name })}
                            className="block rounded-control hover:underline"
                          >
                            <TruncateMiddle text={topic.name} className="font-mono text-meta leading-5" />
                          </Link>
                        </td>
                        <td className="w-24 py-1 text-right">
                          <NumberValue value={Number(topic.message_count)} />
                        </td>
                        <td className="w-20 py-1 text-right">
                          <NumberValue value={topic.frequency_hz} unit="Hz" digits={1} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
                {topics.length > shownTopics && (
                  <p className="mt-1 text-meta text-subtle">and {topics.length - shownTopics} more on the timeline</p>
                )}
              </>
            )}
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}
