"use client";

import { Badge } from "@/components/kit/badge";
import { useNow } from "@/components/kit/clock";
import { formatDuration, plural } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status } from "@/components/product/status";
import type { Matchers, Silence } from "./query";
import { formatRecurrence, getState } from "./silence-texts";

/** What a silence mutes as texts: `arm-04`, `High temp`, `critical`, `#hall-2`. */
export function describeMatchers(
  { device_ids: devices = [], rule_ids: rules = [], severities = [], tags = [] }: Matchers,
  names: Readonly<Record<string, string>>,
): string[] {
  const named = (uids: readonly string[]) => uids.map((uid) => names[uid] ?? `${uid.slice(0, 12)}…`);
  return [...named(devices), ...named(rules), ...severities, ...tags.map((tag) => `#${tag}`)];
}

/** The remaining time, counting down. */
function Countdown({ until }: { until: string }) {
  const remainingMs = Date.parse(until) - useNow(1_000);
  return <span className="tabular-nums">{remainingMs > 0 ? formatDuration(Math.max(1_000, remainingMs)) : "now"}</span>;
}

function State({ silence }: { silence: Silence }) {
  const state = getState(silence);
  const label = { muting: "Muting", waiting: "Between hours", scheduled: "Scheduled", expired: "Expired" }[state];
  const tone = { muting: "maintenance", waiting: "info", scheduled: "info", expired: "neutral" } as const;
  return <Status tone={tone[state]}>{label}</Status>;
}

function Ends({ silence }: { silence: Silence }) {
  if (silence.state === "expired") return <RelativeTime value={silence.ends_at} rich={false} className="text-muted" />;
  return (
    <span className="block" title={silence.ends_at}>
      {silence.state === "active" ? (
        <>
          in <Countdown until={silence.ends_at} />
        </>
      ) : (
        <RelativeTime value={silence.ends_at} rich={false} />
      )}
    </span>
  );
}

/** The list's columns; `names` are those of devices and rules by uid. */
export const silenceColumns = (names: Readonly<Record<string, string>>): readonly DataTableColumn<Silence>[] => [
  { id: "state", header: "State", width: 156, narrow: "trailing", cell: (silence) => <State silence={silence} /> },
  {
    id: "matchers",
    header: "Mutes",
    minWidth: 220,
    required: true,
    narrow: "title",
    cell: (silence) => {
      const labels = describeMatchers(silence.matchers as Matchers, names);
      return (
        <span className="flex min-w-0 flex-col gap-0.5" title={labels.join(", ")}>
          <span className="flex min-w-0 gap-1">
            {labels.slice(0, 4).map((word) => (
              <Badge key={word}>{word}</Badge>
            ))}
            {labels.length > 4 && <span className="text-meta text-subtle">+{labels.length - 4}</span>}
          </span>
          {silence.recurrence && (
            <span className="truncate text-meta text-muted max-sm:hidden">{formatRecurrence(silence.recurrence)}</span>
          )}
        </span>
      );
    },
  },
  {
    id: "reason",
    header: "Reason",
    minWidth: 160,
    narrow: "meta",
    cell: (silence) => <Truncate text={silence.reason} />,
  },
  {
    id: "ticket",
    header: "Ticket",
    width: 104,
    cell: (silence) => (silence.ticket ? <Ticket text={silence.ticket} /> : <None />),
  },
  {
    id: "now",
    header: "Matches now",
    width: 136,
    cell: (silence) =>
      silence.state === "expired" ? (
        <None />
      ) : (
        <span className="block">
          {plural(silence.mutes.open_alerts, "open alert")}
          <span className="block truncate text-meta text-muted">
            {plural(silence.mutes.rules, "rule")}, {plural(silence.mutes.devices, "device")}
          </span>
        </span>
      ),
  },
  { id: "creator", header: "Creator", width: 112, cell: (silence) => <Truncate text={silence.creator} /> },
  {
    id: "starts",
    header: "Starts",
    width: 128,
    cell: (silence) => (
      <span className="block">
        <RelativeTime value={silence.starts_at} rich={false} />
        {silence.window && !silence.muting && silence.state === "active" && (
          <span className="block truncate text-meta text-muted">
            mutes <RelativeTime value={silence.window.starts_at} rich={false} />
          </span>
        )}
      </span>
    ),
  },
  { id: "ends", header: "Ends", width: 112, narrow: "meta", cell: (silence) => <Ends silence={silence} /> },
  {
    id: "created",
    header: "Created",
    width: 168,
    hidden: true,
    cell: (silence) => <InstantTime value={silence.created_at} precision="minute" />,
  },
];

/** A ticket; a URL becomes a link. */
function Ticket({ text }: { text: string }) {
  if (!/^https?:\/\//.test(text)) return <Truncate text={text} />;
  return (
    <a href={text} target="_blank" rel="noreferrer" className="block truncate text-accent-text hover:underline">
      {text.replace(/^https?:\/\//, "")}
    </a>
  );
}
