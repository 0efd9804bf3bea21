"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { MetricReading } from "@/components/health/metric-reading";
import { Tags } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { KeyValue } from "@/components/kit/key-value";
import type { MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { recordingHref } from "@/components/product/recording-links";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { cellCeiling } from "@/domain/limits";
import { DeviceStatusLine } from "./device-status";
import { OpenAlerts } from "./open-alerts";
import type { Device, DeviceRow } from "./query";

const refreshMs = 30_000;
/** Metrics that are shown first. */
const first = 3;

export interface DeviceDrawerProps {
  /** The device shown; null closes the drawer. */
  uid: string | null;
  /** The same device as the list has it, shown while the detail loads. */
  row: DeviceRow | undefined;
  menu: (device: Device) => MenuItem[];
  onClose: () => void;
}

/** A device at a glance, beside the list. */
export function DeviceDrawer({ uid, row, menu, onClose }: DeviceDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.devices.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  const now = useQuery({
    ...trpc.health.now.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null,
    refetchInterval: refreshMs,
  });
  return (
    <ResourceDrawer
      uid={uid}
      noun="device"
      resource={row ?? query.data}
      getName={(device) => device.name}
      subtitle={(device) => <DeviceStatusLine device={device} className="text-meta" />}
      links={(device) => (
        <ButtonLink href={`/devices/${device.uid}`} size="sm">
          Open
        </ButtonLink>
      )}
      menu={menu}
      query={query}
      onClose={onClose}
    >
      {(device) => (
        <>
          <Now device={device} row={row} query={now} />
          <KeyValue
            items={[
              ["Type", device.type],
              ["Tags", <Tags key="tags" tags={device.tags} max={8} />],
              ["Firmware", device.firmware_version],
              ["Registered", <InstantTime key="created" value={device.created_at} precision="minute" />],
              ["Uid", <UidChip key="uid" uid={device.uid} max={24} />],
            ]}
          />
          <section>
            <h3 className="mb-2 text-table font-semibold">Metadata</h3>
            <ValueList values={device.metadata} empty="None. Add some on the device's page." />
          </section>
          <section>
            <h3 className="mb-2 text-table font-semibold">Metrics of the last heartbeat</h3>
            {now.data && now.data.metrics.length > 0 ? (
              <KeyValue items={now.data.metrics.map((metric) => [metric.label, toValue(metric)] as const)} />
            ) : now.isPending ? (
              <SkeletonText lines={3} />
            ) : (
              <ValueList
                values={device.metrics}
                empty="None yet. Heartbeats may carry numbers such as battery or disk."
              />
            )}
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}

type DeviceNow = Outputs["health"]["now"];

/** A value that the last heartbeat had; null, which shows a dash, where it had none. */
const toValue = ({ text, judgement }: DeviceNow["metrics"][number]) =>
  text === null ? null : <MetricReading reading={{ text, judgement }} />;

/** How it is now: the metrics that its type ranks first, what is open, and its last recording. */
function Now(props: {
  device: Device;
  row: DeviceRow | undefined;
  query: { data: DeviceNow | undefined; isPending: boolean };
}) {
  const { device, row, query } = props;
  if (!query.data) return query.isPending ? <SkeletonText lines={2} /> : null;
  const { metrics, open_alerts: open, last_recording: recording } = query.data;
  const said = metrics.filter(({ text }) => text !== null).slice(0, first);
  return (
    <section aria-label="Now" className="flex flex-col gap-3">
      {said.length > 0 && (
        <dl className="grid grid-cols-3 gap-3">
          {said.map((metric) => (
            <div key={metric.name} className="min-w-0">
              <dt className="truncate text-meta text-subtle" title={metric.label}>
                {metric.label}
              </dt>
              <dd className="text-body font-medium">{toValue(metric)}</dd>
            </div>
          ))}
        </dl>
      )}
      <KeyValue
        items={[
          [
            "Open alerts",
            row ? (
              <OpenAlerts key="open" device={row} />
            ) : open === 0 ? null : (
              <Link key="open" href={`/alerts?device_id=${device.uid}`} className="text-accent-text hover:underline">
                {open >= cellCeiling ? `${cellCeiling}+` : open}
              </Link>
            ),
          ],
          [
            "Last recording",
            recording && (
              <span key="recording" className="flex min-w-0 flex-wrap gap-x-2">
                <Link href={recordingHref(recording.uid)} className="min-w-0 truncate text-accent-text hover:underline">
                  {recording.name || recording.uid}
                </Link>
                {recording.started_at !== null && <RelativeTime value={recording.started_at} className="text-subtle" />}
              </span>
            ),
          ],
        ]}
      />
    </section>
  );
}
