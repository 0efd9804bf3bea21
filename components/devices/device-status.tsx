"use client";

import { useClock } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { formatRelative, toMillis } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Tooltip } from "@/components/kit/tooltip";
import { Status } from "@/components/product/status";
import { heartbeatTiming } from "@/domain/devices/connectivity";
import type { Device } from "./query";

type Seen = Pick<Device, "status" | "last_seen_at"> & { demo?: boolean };

const limitSeconds = heartbeatTiming.offlineAfterSeconds;
/** The server's clock may be a little ahead of the browser's. */
const skewMs = 5_000;

/** Why a device is in its state at a time (ms): `last heartbeat 4 m ago, limit 90 s`. */
function statusReason({ status, last_seen_at: seen }: Seen, now: number): string {
  if (seen === null) return status === "maintenance" ? "set by hand, never sent a heartbeat" : "never sent a heartbeat";
  const at = toMillis(seen);
  const last = `last heartbeat ${formatRelative(at, Math.max(now, Math.min(at, now + skewMs)))}`;
  if (status === "maintenance") return `set by hand, ${last}`;
  if (status === "online") return last;
  return now - at > limitSeconds * 1000 ? `${last}, limit ${limitSeconds} s` : `${last}, waiting for the next`;
}

const useReason = (device: Seen): string => useClock((now) => statusReason(device, now));

/** The state as a mark and a label, the reason in its tooltip; for lists. */
export function DeviceStatus({ device }: { device: Seen }) {
  const reason = useReason(device);
  return (
    <Tooltip content={reason.charAt(0).toUpperCase() + reason.slice(1)}>
      <span>
        <Status tone={device.status} />
      </span>
    </Tooltip>
  );
}

/** The age of the state: `5 s ago` of an online device, else when it was last seen. */
function statusAge({ status, last_seen_at: seen }: Seen, now: number): string {
  if (seen === null) return "never seen";
  const at = toMillis(seen);
  const age = formatRelative(at, Math.max(now, Math.min(at, now + skewMs)));
  return status === "online" ? age : `seen ${age}`;
}

/** The state with its age, for heads: `Online 5 s ago`, `Offline, seen 4 m ago`; why in its tooltip. */
export function DeviceAge({ device }: { device: Seen }) {
  const reason = useReason(device);
  const age = useClock((now) => statusAge(device, now));
  return (
    <Tooltip content={reason.charAt(0).toUpperCase() + reason.slice(1)}>
      <span className="inline-flex items-center gap-x-1 text-table whitespace-nowrap">
        <Status tone={device.status} strong />
        <span className="text-muted tabular-nums">{age}</span>
      </span>
    </Tooltip>
  );
}

/** The state with its reason written out: `Offline: last heartbeat 4 m ago, limit 90 s`. */
export function DeviceStatusLine({ device, className }: { device: Seen; className?: string }) {
  const reason = useReason(device);
  return (
    <span className={cn("inline-flex min-w-0 flex-wrap items-center gap-x-2 text-table", className)}>
      <Status tone={device.status} strong />
      <span className="text-muted tabular-nums">{reason}</span>
    </span>
  );
}

/** Heartbeats missed since the last one: 0 none, 1 one, 2 three or more; a device in maintenance may be silent. */
function silence({ status, last_seen_at: seen, demo }: Seen, now: number): 0 | 1 | 2 {
  // The heartbeats of the demo pause while nobody uses the organization; its robots stay online.
  if (demo && status === "online") return 0;
  if (seen === null || status === "maintenance") return 0;
  const missed = (now - toMillis(seen)) / (heartbeatTiming.intervalSeconds * 1000);
  return missed > 3 ? 2 : missed > 1 ? 1 : 0;
}

/** The last heartbeat: amber after one missed heartbeat, red after three. */
export function LastSeen({ device, rich = false }: { device: Seen; rich?: boolean }) {
  const level = useClock((now) => silence(device, now));
  if (device.last_seen_at === null) return <None />;
  return (
    <RelativeTime
      value={device.last_seen_at}
      rich={rich}
      className={cn(level === 1 && "text-warning-text", level === 2 && "text-critical-text")}
    />
  );
}
