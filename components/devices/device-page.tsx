"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Wrench } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { EditableTags } from "@/components/product/editable-tags";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { useDeviceActions } from "./device-actions";
import { DeviceActivity } from "./device-activity";
import { DeviceAlerts } from "./device-alerts";
import { DeviceEvents } from "./device-events";
import { DeviceMetadataTab } from "./device-metadata-tab";
import { DeviceRecordings } from "./device-recordings";
import { DeviceRules } from "./device-rules";
import { DeviceStatusLine } from "./device-status";
import { DeviceTimeline } from "./device-timeline";
import type { Device } from "./query";

const list = { label: "Devices", href: "/devices" };
const tabs = ["timeline", "recordings", "events", "alerts", "rules", "metadata", "activity"] as const;

/** Everything about one device: its state and why, what it recorded, what happened to it. */
export function DevicePage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  // Once deleted here it is not requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.devices.get.queryOptions({ uid }), enabled: !deleted, refetchInterval: 30_000 });
  const { role, refusal } = usePermissions();
  const actions = useDeviceActions(() => {
    setDeleted(true);
    router.push("/devices");
  });
  const device = query.data;
  usePageTitle(device?.name);

  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={device?.name}
        noun="device"
        deletedMessage="This device was deleted while you were looking at it. Its recordings, events and alerts are kept."
        list={list}
        query={query}
      />
    );
  }
  if (!device) return null;

  const inMaintenance = device.status === "maintenance";
  return (
    <>
      <PageHeader
        title={device.name}
        trail={[list]}
        status={<DeviceStatusLine device={device} />}
        meta={
          <>
            {device.demo && <Badge>Demo</Badge>}
            {device.type !== "unknown" && <span>{device.type}</span>}
            <DeviceRobot uid={device.uid} />
            {device.firmware_version && (
              <span className="flex min-w-0 items-center gap-1.5">
                <span className="text-subtle">Firmware</span>
                <Badge mono>{device.firmware_version}</Badge>
              </span>
            )}
            <DeviceTags device={device} />
            <UidChip uid={device.uid} />
          </>
        }
        actions={
          <>
            <Button
              className="max-sm:hidden"
              icon={<Wrench aria-hidden />}
              disabledReason={refusal()}
              onClick={() =>
                inMaintenance ? void actions.setMaintenance(device, false) : actions.confirmMaintenance(device)
              }
            >
              {inMaintenance ? "End maintenance" : "Maintenance"}
            </Button>
            <Menu
              items={actions.menu(device)}
              trigger={
                <IconButton label={`Actions for ${device.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <Tabs
        label="About this device"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={[
          { value: "timeline", label: "Timeline", content: <DeviceTimeline uid={uid} /> },
          { value: "recordings", label: "Recordings", content: <DeviceRecordings uid={uid} /> },
          { value: "events", label: "Events", content: <DeviceEvents uid={uid} /> },
          { value: "alerts", label: "Alerts", content: <DeviceAlerts uid={uid} /> },
          { value: "rules", label: "Rules", content: <DeviceRules uid={uid} /> },
          { value: "metadata", label: "Metadata", content: <DeviceMetadataTab device={device} /> },
          { value: "activity", label: "Activity", content: <DeviceActivity uid={uid} allowed={role !== "member"} /> },
        ]}
      />
      {actions.dialogs}
    </>
  );
}

/** The robot description that 3-D views of the device's recordings draw; nothing where its type has none. */
function DeviceRobot({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const robot = useQuery(trpc.robotDescriptions.ofDevice.queryOptions({ uid })).data;
  if (!robot) return null;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="text-subtle">Robot</span>
      <Link
        href={`/settings/robot-descriptions?selected=${robot.uid}`}
        className="min-w-0 truncate rounded-control underline"
      >
        {robot.name || robot.device_type}: {plural(robot.link_count, "link")}, {plural(robot.joint_count, "joint")}
      </Link>
    </span>
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
        await queryClient.invalidateQueries(trpc.devices.pathFilter());
      }}
    />
  );
}
