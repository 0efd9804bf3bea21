"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { Badge } from "@/components/kit/badge";
import { plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Section } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { EditableTags } from "@/components/product/editable-tags";
import { recordingHref } from "@/components/product/recording-links";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { DeviceStatusLine } from "../device-status";
import type { Device, DeviceNow } from "../query";

/** What a device is: its state and why, type, firmware, tags, last recording. */
export function DeviceFacts({ device, now }: { device: Device; now: DeviceNow | undefined }) {
  const last = now?.last_recording;
  const type = device.type === "unknown" ? undefined : device.type;
  return (
    <Section title="About">
      <KeyValue
        items={[
          ["State", <DeviceStatusLine key="state" device={device} />],
          [
            "Type",
            (type !== undefined || device.demo) && (
              <span key="type" className="flex flex-wrap items-center gap-2">
                {type}
                {device.demo && <Badge>Demo</Badge>}
              </span>
            ),
          ],
          [
            "Firmware",
            device.firmware_version && (
              <span key="firmware" className="font-mono">
                {device.firmware_version}
              </span>
            ),
          ],
          ["Robot", <DeviceRobot key="robot" uid={device.uid} />],
          ["Tags", <DeviceTags key="tags" device={device} />],
          [
            "Recorded",
            last && (
              <Link key="last" href={recordingHref(last.uid)} className="rounded-control underline underline-offset-2">
                {last.name || "Recording"}, <RelativeTime value={last.started_at} rich={false} />
              </Link>
            ),
          ],
          ["Uid", <UidChip key="uid" uid={device.uid} max={24} />],
        ].map(([label, value]) => [label as string, value || undefined] as const)}
      />
    </Section>
  );
}

/** The robot description that 3-D views of the device's recordings draw. */
function DeviceRobot({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const robot = useQuery(trpc.robotDescriptions.ofDevice.queryOptions({ uid })).data;
  if (!robot) return <span className="text-subtle">No description</span>;
  return (
    <Link
      href={`/settings/robot-descriptions?selected=${robot.uid}`}
      className="min-w-0 rounded-control underline underline-offset-2"
    >
      {robot.name || robot.device_type}: {plural(robot.link_count, "link")}, {plural(robot.joint_count, "joint")}
    </Link>
  );
}

function DeviceTags({ device }: { device: Pick<Device, "uid" | "name" | "tags"> }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <EditableTags
      name={device.name}
      tags={device.tags}
      vocabulary={trpc.devices.vocabulary.queryOptions()}
      write={async (tags) => {
        await client.devices.update.mutate({ uid: device.uid, change: { tags } });
        await Promise.all([
          queryClient.invalidateQueries(trpc.devices.pathFilter()),
          queryClient.invalidateQueries(trpc.fleet.changes.pathFilter()),
        ]);
      }}
    />
  );
}
