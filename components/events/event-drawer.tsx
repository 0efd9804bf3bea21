"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import Link from "next/link";
import { Suspense, useState } from "react";
import { Tags } from "@/components/kit/badge";
import { Button, ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { KeyValue } from "@/components/kit/key-value";
import { lazyPart } from "@/components/kit/lazy-part";
import { Duration } from "@/components/kit/measure";
import type { MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { DatasetMarks } from "@/components/moments/dataset-marks";
import { toRange } from "@/components/moments/source";
import { SeriesPlot } from "@/components/plots/series-plot";
import { DeviceLink } from "@/components/product/device-link";
import { EventTypeMark } from "@/components/product/event-type";
import { recordingHref } from "@/components/product/recording-links";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { SeverityStatus } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { useTRPC } from "@/components/trpc/client";
import { EventSource, recordingName } from "./event-columns";
import type { EventRow } from "./query";
import { eventHref } from "./use-event-actions";

// Loaded when an event is edited, because it brings the form library.
const EventForm = lazyPart(async () => (await import("./event-form")).EventForm);

export interface EventDrawerProps {
  /** The event shown; null closes the drawer. */
  uid: string | null;
  /** The same event as the list has it. */
  row: EventRow | undefined;
  menu: (event: EventRow) => MenuItem[];
  /** Why the person may not change the event. */
  explain: (event: EventRow) => string | undefined;
  onClose: () => void;
}

const aroundNs = 5_000_000_000n;
/** An event that lasts longer is shown from its beginning on. */
const maxDurationNs = 60_000_000_000n;
const link = "rounded-control text-accent-text hover:underline";

/** An event at a glance: what, when, the field its rule watches around it, its metadata; and changing it. */
export function EventDrawer({ uid, row, menu, explain, onClose }: EventDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.events.overviewOf.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  const [editing, setEditing] = useState<string | null>(null);
  return (
    <ResourceDrawer<EventRow>
      uid={uid}
      noun="event"
      resource={row ?? query.data}
      getName={(event) => event.label}
      subtitle={(event) => (
        <>
          <EventTypeMark type={event.type} />
          <SeverityStatus severity={event.severity} />
        </>
      )}
      links={(event) => (
        <>
          <ButtonLink href={eventHref(event)} size="sm">
            Open at time
          </ButtonLink>
          <CopyLink compact size="sm" />
        </>
      )}
      menu={menu}
      query={query}
      onClose={onClose}
    >
      {(event) => (
        <>
          {editing === event.uid ? (
            <Suspense fallback={<SkeletonText lines={6} />}>
              <EventForm key={`form ${event.uid}`} event={event} onDone={() => setEditing(null)} />
            </Suspense>
          ) : (
            <section className="flex flex-col gap-3">
              {event.description && <p className="text-table whitespace-pre-line">{event.description}</p>}
              <KeyValue
                items={[
                  ["Time", <InstantTime key="time" value={event.timestamp} precision="millisecond" />],
                  ["Duration", <Duration key="duration" ms={event.duration_ms} />],
                  ["Device", <DeviceLink key="device" of={event} />],
                  [
                    "Recording",
                    <Link key="recording" className={link} href={recordingHref(event.recording_id)}>
                      {recordingName(event)}
                    </Link>,
                  ],
                  [
                    "Source",
                    event.rule_id && event.source_name ? (
                      <Link key="rule" className={link} href={`/rules/${event.rule_id}`}>
                        {event.source_name}
                      </Link>
                    ) : (
                      <EventSource key="source" event={event} />
                    ),
                  ],
                  ["Datasets", <DatasetMarks key="datasets" kind="events" uid={event.uid} />],
                  ["Tags", <Tags key="tags" tags={event.tags} max={8} />],
                  ["Created", <RelativeTime key="created" value={event.created_at} />],
                  ["Uid", <UidChip key="uid" uid={event.uid} max={24} />],
                ]}
              />
              <div className="flex flex-wrap gap-2">
                <Button
                  size="sm"
                  icon={<Pencil aria-hidden />}
                  disabledReason={explain(event)}
                  onClick={() => setEditing(event.uid)}
                >
                  Edit
                </Button>
                <AddToDataset
                  getSource={() => ({
                    kind: "range",
                    recordingId: event.recording_id,
                    eventId: event.uid,
                    ruleId: event.rule_id ?? undefined,
                    ...toRange(BigInt(event.timestamp_ns), BigInt(event.duration_ns ?? 0)),
                  })}
                  size="sm"
                />
              </div>
            </section>
          )}
          <Watched key={`plot ${event.uid}`} event={event} />
          <section>
            <h3 className="mb-2 text-table font-semibold">Metadata</h3>
            <ValueList values={event.metadata} empty="None." />
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}

/** The field the event's rule watches, five seconds before and after. */
function Watched({ event }: { event: EventRow }) {
  const [field] = event.watched;
  if (!field) return null;
  const at = BigInt(event.timestamp_ns);
  const lasted = event.duration_ns === null ? 0n : BigInt(event.duration_ns);
  const end = at + (lasted > maxDurationNs ? maxDurationNs : lasted);
  return (
    <section>
      <h3 className="mb-2 text-table font-semibold">
        <span className="font-mono text-meta">
          {field.topic} {field.field}
        </span>
      </h3>
      <SeriesPlot
        recordingUid={event.recording_id}
        topic={field.topic}
        field={field.field}
        fromNs={at - aroundNs}
        toNs={end + aroundNs}
        height={140}
        thresholds={field.threshold === null ? undefined : [{ value: field.threshold, severity: event.severity }]}
        marks={[{ atNs: at, label: event.label, severity: event.severity }]}
        bands={lasted > 0n ? [{ fromNs: at, toNs: end, kind: "triggered" }] : undefined}
      />
    </section>
  );
}
