"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Wrench } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { usePageTitle } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { useDeviceActions } from "../device-actions";
import { DeviceActivity } from "../device-activity";
import { DeviceAlerts } from "../device-alerts";
import { DeviceEvents } from "../device-events";
import { DeviceHead } from "../device-head";
import { DeviceMetadataTab } from "../device-metadata-tab";
import { DeviceRecordings } from "../device-recordings";
import { DeviceRules } from "../device-rules";
import { DeviceTimeline } from "../device-timeline";
import { DeviceNow } from "../now/device-now";
import { heartbeatRefreshMs } from "../query";

const list = { label: "Devices", href: "/devices" };
const tabs = ["now", "timeline", "recordings", "events", "alerts", "rules", "metadata", "activity"] as const;

/** Everything about one device: how it is now, what it recorded, what happened to it. */
export function DevicePage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  // Once deleted here it is not requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({
    ...trpc.devices.get.queryOptions({ uid }),
    enabled: !deleted,
    refetchInterval: heartbeatRefreshMs,
  });
  const now = useQuery({
    ...trpc.health.now.queryOptions({ uid }),
    enabled: !deleted,
    refetchInterval: heartbeatRefreshMs,
  });
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
      <DeviceHead
        device={device}
        now={now.data}
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
          { value: "now", label: "Now", content: <DeviceNow device={device} query={now} /> },
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
