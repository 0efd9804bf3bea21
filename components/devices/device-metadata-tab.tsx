"use client";

import { KeyValue } from "@/components/kit/key-value";
import { PageBody, Section } from "@/components/kit/page-header";
import { InstantTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { DeviceMetadata } from "./device-metadata";
import { LastSeen } from "./device-status";
import { MetadataHistory } from "./metadata-history";
import type { Device } from "./query";

/** A device's details and the metrics of its last heartbeat. */
export function DeviceMetadataTab({ device }: { device: Device }) {
  return (
    <PageBody className="grid gap-x-16 gap-y-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex flex-col gap-8">
        <DeviceMetadata device={device} />
        <MetadataHistory uid={device.uid} />
      </div>
      <div className="flex flex-col gap-8">
        <Section title="Last heartbeat" description="What the device reported in its last heartbeat.">
          <ValueList
            values={device.metrics}
            empty="No metrics yet. A heartbeat may carry numbers such as battery or free disk."
          />
        </Section>
        <Section title="Details">
          <KeyValue
            items={[
              ["Last seen", device.last_seen_at === null ? "Never" : <LastSeen key="seen" device={device} rich />],
              ["Firmware", device.firmware_version],
              ["Type", device.type],
              ["Registered", <InstantTime key="created" value={device.created_at} />],
              ["Uid", <UidChip key="uid" uid={device.uid} max={24} />],
            ]}
          />
        </Section>
      </div>
    </PageBody>
  );
}
