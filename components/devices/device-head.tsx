"use client";

import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import { AlertMarks } from "@/components/health/alert-marks";
import { MetricPhrase } from "@/components/health/metric-value";
import { SparkLine } from "@/components/health/spark-line";
import { PageHeader } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { recordingHref } from "@/components/product/recording-links";
import { DeviceAge } from "./device-status";
import type { Device, DeviceNow, MetricNow } from "./query";

/** Metrics in the head: those that its type ranks first and that have a number now. */
const shown = 3;

const isCharging = (metrics: readonly MetricNow[]): boolean =>
  metrics.some(({ name, value }) => /^(is_)?charging$/i.test(name) && value === true);

/** A device in one line: its name and state, what it says of itself, what is open, what it recorded last. */
export function DeviceHead({
  device,
  now,
  actions,
}: {
  device: Device;
  now: DeviceNow | undefined;
  actions: ReactNode;
}) {
  return (
    <PageHeader
      title={device.name}
      trail={[{ label: "Devices", href: "/devices" }]}
      status={
        <>
          <DeviceAge device={device} />
          {now && <Facts uid={device.uid} now={now} />}
        </>
      }
      actions={actions}
    />
  );
}

function Facts({ uid, now }: { uid: string; now: DeviceNow }) {
  const charging = isCharging(now.metrics);
  const first = now.metrics.filter(({ value }) => typeof value === "number").slice(0, shown);
  const { last_recording: last } = now;
  if (first.length === 0 && now.open_alerts === 0 && last === null) return null;
  return (
    <div className="flex min-w-0 items-center gap-x-3 text-table max-sm:basis-full">
      {first.length > 0 && (
        <ul aria-label="Metrics" className="flex min-w-0 items-center gap-x-1.5 overflow-hidden">
          {first.map((metric, at) => (
            <Fragment key={metric.name}>
              {at > 0 && (
                <li aria-hidden className="text-subtle">
                  ·
                </li>
              )}
              <li className="flex items-center gap-x-1.5">
                <MetricPhrase metric={metric} charging={charging} />
                <SparkLine
                  since={now.since}
                  points={metric.points ?? []}
                  label={`${metric.label} over the last 24 h`}
                  width={40}
                  height={14}
                  className="max-lg:hidden"
                />
              </li>
            </Fragment>
          ))}
        </ul>
      )}
      {now.open_alerts > 0 && (
        <Link href={`/devices/${uid}?tab=alerts`} className="shrink-0 rounded-control hover:underline">
          <AlertMarks counts={now.open} />
        </Link>
      )}
      {last && (
        <Link
          href={recordingHref(last.uid)}
          title={last.name}
          className="shrink-0 rounded-control text-muted hover:text-foreground hover:underline max-sm:hidden"
        >
          Recorded <RelativeTime value={last.started_at} rich={false} />
        </Link>
      )}
    </div>
  );
}
