"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Pencil } from "lucide-react";
import Link from "next/link";
import { lazy, Suspense, useState } from "react";
import { Tags } from "@/components/kit/badge";
import { Button, ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { Drawer } from "@/components/kit/drawer";
import { IconButton } from "@/components/kit/icon-button";
import { KeyValue } from "@/components/kit/key-value";
import { Duration } from "@/components/kit/measure";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { SeriesPlot } from "@/components/plots/series-plot";
import { ErrorState } from "@/components/product/error-state";
import { EventTypeMark } from "@/components/product/event-type";
import { recordingHref } from "@/components/product/recording-links";
import { SeverityStatus } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { useTRPC } from "@/components/trpc/client";
import { EventSource, recordingName } from "./event-columns";
import type { EventRow } from "./query";
import { eventHref } from "./use-event-actions";

// Fetched when an event is edited: with it come all that forms are made of.
const EventForm = lazy(async () => ({ default: (await import("./event-form")).EventForm }));

export interface EventDrawerProps {
  /** Which event is looked at; null closes the drawer. */
  uid: string | null;
  /** The same event as the list has it. */
  row: EventRow | undefined;
  menu: (event: EventRow) => MenuItem[];
  onClose: () => void;
}

const aroundNs = 5_000_000_000n;
/** An event that lasts longer is shown from its beginning on. */
const longestNs = 60_000_000_000n;
const link = "rounded-control text-accent-text hover:underline";

/** An event at a glance: what, when, the field its rule watches around it, its metadata; and changing it. */
export function EventDrawer({ uid, row, menu, onClose }: EventDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.events.overviewOf.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  const event = row ?? query.data;
  const [editing, setEditing] = useState<string | null>(null);
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={event?.label ?? "Event"}
      subtitle={
        event && (
          <>
            <EventTypeMark type={event.type} />
            <SeverityStatus severity={event.severity} />
          </>
        )
      }
      actions={
        event && (
          <>
            <ButtonLink href={eventHref(event)} size="sm">
              Open at time
            </ButtonLink>
            <CopyLink compact size="sm" />
            <Menu
              items={menu(event)}
              trigger={<IconButton label={`Actions for ${event.label}`} size="sm" icon={<Ellipsis aria-hidden />} />}
            />
          </>
        )
      }
    >
      {event ? (
        <div className="flex flex-col gap-6">
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
                  [
                    "Device",
                    <Link key="device" className={link} href={`/devices/${event.device_id}`}>
                      {event.device_name}
                    </Link>,
                  ],
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
                  ["Tags", <Tags key="tags" tags={event.tags} max={8} />],
                  ["Created", <RelativeTime key="created" value={event.created_at} />],
                  ["Uid", <UidChip key="uid" uid={event.uid} max={24} />],
                ]}
              />
              <div>
                <Button size="sm" icon={<Pencil aria-hidden />} onClick={() => setEditing(event.uid)}>
                  Edit
                </Button>
              </div>
            </section>
          )}
          <Watched key={`plot ${event.uid}`} event={event} />
          <section>
            <h3 className="mb-2 text-table font-semibold">Metadata</h3>
            <ValueList values={event.metadata} empty="None." />
          </section>
        </div>
      ) : query.error ? (
        <ErrorState error={query.error} title="This event could not be loaded" onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}

/** The field the event's rule watches, five seconds before and after. */
function Watched({ event }: { event: EventRow }) {
  const [field] = event.watched;
  if (!field) return null;
  const at = BigInt(event.timestamp_ns);
  const lasted = event.duration_ns === null ? 0n : BigInt(event.duration_ns);
  const end = at + (lasted > longestNs ? longestNs : lasted);
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
        bands={lasted > 0n ? [{ fromNs: at, toNs: end, kind: "firing" }] : undefined}
      />
    </section>
  );
}
