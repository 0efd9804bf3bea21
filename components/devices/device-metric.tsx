"use client";

import { describeReading, MetricReading } from "@/components/health/metric-reading";
import { useClock } from "@/components/kit/clock";
import { formatRelative, toMillis } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { heartbeatTiming } from "@/domain/devices/connectivity";
import type { DeviceRow } from "./query";

type Source = Pick<DeviceRow, "readings" | "metrics_at" | "status" | "demo">;

const oldMs = heartbeatTiming.offlineAfterSeconds * 1_000;

/** How old the metrics of a device are, empty while it says them. The heartbeats of the demo pause while nobody looks. */
function ageText({ metrics_at: sent, status, demo }: Source, now: number): string {
  if (sent === null || (demo && status === "online")) return "";
  const at = toMillis(sent);
  return now - at > oldMs ? formatRelative(at, now) : "";
}

/** A metric of a device in its list, with its age where it is old. */
export function DeviceMetric({ device, name }: { device: Source; name: string }) {
  const age = useClock((now) => ageText(device, now));
  const reading = device.readings.find((each) => each.name === name);
  if (!reading) return <None />;
  const words = describeReading(reading);
  return (
    <span
      title={`${reading.label}: ${words}${age === "" ? "" : `, sent ${age}`}`}
      className="inline-flex max-w-full items-center gap-1.5 align-middle"
    >
      <MetricReading reading={reading} className="min-w-0" />
      {age !== "" && <span className="shrink-0 text-meta text-subtle">{age}</span>}
    </span>
  );
}
