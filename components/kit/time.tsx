"use client";

import { useClock, useNow } from "./clock";
import { cn } from "./cn";
import { formatDuration, formatInstant, formatRelative, toMillis, type Precision } from "./format";
import { None } from "./none";
import { useTimeZone } from "./preferences-provider";
import { Tooltip } from "./tooltip";

/** A server's clock a little ahead of the browser's must not read "in 2 s". */
const clockSkewMs = 5_000;

type Instant = string | number | Date | null | undefined;

export interface RelativeTimeProps {
  /** ISO string, milliseconds or a date; null shows `never`. */
  value: Instant;
  never?: string;
  /** False leaves the tooltip to the browser's own `title`, cheaper inside long tables. */
  rich?: boolean;
  className?: string;
}

/** `4 m ago`, moving by itself; the exact time with milliseconds and zone in the tooltip. */
export function RelativeTime({ value, never = "Never", rich = true, className }: RelativeTimeProps) {
  const at = value === null || value === undefined ? Number.NaN : toMillis(value);
  const { zone } = useTimeZone();
  const text = useClock((now) => formatRelative(at, Math.max(now, Math.min(at, now + clockSkewMs))));
  if (Number.isNaN(at)) return <span className="text-subtle">{never}</span>;
  const exact = formatInstant(at, zone, "millisecond");
  const time = (
    <time
      dateTime={new Date(at).toISOString()}
      title={rich ? undefined : exact}
      className={cn("whitespace-nowrap", className)}
    >
      {text}
    </time>
  );
  return rich ? <Tooltip content={exact}>{time}</Tooltip> : time;
}

export interface InstantTimeProps {
  value: Instant;
  precision?: Precision;
  className?: string;
}

/** The exact time in the person's zone, UTC marked: `2026-03-04 14:05:09 UTC`. */
export function InstantTime({ value, precision = "second", className }: InstantTimeProps) {
  const { zone } = useTimeZone();
  if (value === null || value === undefined) return <None />;
  const at = toMillis(value);
  if (Number.isNaN(at)) return <None />;
  return (
    <time dateTime={new Date(at).toISOString()} className={cn("whitespace-nowrap", className)}>
      {formatInstant(at, zone, precision)}
    </time>
  );
}

/** How long something has been going on, counting up each second. */
export function ElapsedTime({ since }: { since: Instant }) {
  const now = useNow(1000);
  if (since === null || since === undefined) return null;
  const seconds = Math.max(0, Math.floor((now - toMillis(since)) / 1000));
  return <span className="tabular-nums">{seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1000)}</span>;
}
