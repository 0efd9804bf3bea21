import Link from "next/link";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { causeText } from "@/domain/webhooks/failure-cause";
import { Countdown } from "./countdown";
import { DeliveryMark, isRetrying } from "./delivery-status";
import { objectHref, objectLabels } from "./event-object";
import type { DeliveryRow } from "./query";

/** What an event is about: its name, or what kind of thing it is. */
export function EventObjectName({ object }: { object: DeliveryRow["object"] }) {
  if (!object) return <None />;
  const name = object.name || `${objectLabels[object.kind]} …${object.uid.slice(-6)}`;
  const href = objectHref(object);
  const title = `${objectLabels[object.kind]} ${object.name} ${object.uid}`;
  if (href === null) return <span title={title}>{name}</span>;
  return (
    <Link href={href} title={title} className="rounded-control text-accent-text hover:underline">
      {name}
    </Link>
  );
}

const milliseconds = (ms: number | null) => (ms === null ? <None /> : <span className="tabular-nums">{ms}</span>);

export const deliveryColumns: readonly DataTableColumn<DeliveryRow>[] = [
  {
    id: "time",
    header: "Time",
    width: 96,
    narrow: "meta",
    cell: (row) => <RelativeTime value={row.created_at} rich={false} className="text-muted" />,
  },
  {
    id: "event",
    header: "Event",
    width: 160,
    required: true,
    narrow: "title",
    cell: (row) => (
      <span className="flex items-center gap-1.5">
        {row.replay_of !== null && (
          <span title="Sent again" className="text-muted">
            <span aria-hidden>↻</span>
            <span className="sr-only">Sent again:</span>
          </span>
        )}
        <Truncate text={row.event_type} className="font-mono text-meta" />
      </span>
    ),
  },
  {
    id: "object",
    header: "Object",
    minWidth: 120,
    narrow: "meta",
    cell: (row) => <EventObjectName object={row.object} />,
  },
  {
    id: "status",
    header: "Status",
    width: 112,
    narrow: "trailing",
    cell: (row) => (
      <span title={row.error ?? undefined}>
        <DeliveryMark status={row.status} retrying={isRetrying(row)} />
      </span>
    ),
  },
  {
    id: "code",
    header: "Code",
    width: 64,
    align: "right",
    cell: (row) =>
      row.response_status === null ? (
        <None />
      ) : (
        <span className={row.response_status >= 300 ? "text-error-text tabular-nums" : "tabular-nums"}>
          {row.response_status}
        </span>
      ),
  },
  {
    id: "attempts",
    header: "Tries",
    width: 56,
    align: "right",
    cell: (row) => <span className="tabular-nums">{row.attempts}</span>,
  },
  { id: "ms", header: "ms", width: 72, align: "right", cell: (row) => milliseconds(row.duration_ms) },
  {
    id: "next",
    header: "Next in",
    width: 88,
    align: "right",
    cell: (row) => (row.next_retry_at === null ? <None /> : <Countdown to={row.next_retry_at} />),
  },
  {
    id: "error",
    header: "Error",
    minWidth: 180,
    hidden: true,
    cell: (row) =>
      row.error === null ? (
        <None />
      ) : (
        <Truncate text={row.response_status === null ? row.error : causeText(String(row.response_status))} />
      ),
  },
];
