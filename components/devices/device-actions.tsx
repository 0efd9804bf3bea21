"use client";

import { useQueryClient } from "@tanstack/react-query";
import { BellOff, KeyRound, Pencil, SquareArrowOutUpRight, Trash2, Wrench } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { MaintenanceDialog } from "./maintenance-dialog";
import type { Device } from "./query";
import { RotateTokenDialog } from "./rotate-token-dialog";

// Loaded when a device is edited, because it brings the form library.
const EditDeviceDialog = lazyDialog(async () => (await import("./edit-device-dialog")).EditDeviceDialog);

type Target = Pick<Device, "uid" | "name" | "type" | "status" | "firmware_version">;
type Kind = "edit" | "rotate" | "delete" | "maintenance";

export interface DeviceActions {
  /** Items of a menu; `open` puts the link to the device's page in front. */
  menu: (device: Target, options?: { open?: boolean }) => MenuItem[];
  setMaintenance: (device: Target, on: boolean) => Promise<void>;
  /** Opens a dialog for the duration; the device can be silenced for it. */
  confirmMaintenance: (device: Target) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with a device, the same in the list and on its page. `onDeleted` is called after its deletion. */
export function useDeviceActions(onDeleted: (uid: string) => void): DeviceActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [view, manage] = [refusal(), refusal({ role: "admin" })];
  const [target, setTarget] = useState<Target | null>(null);
  // Kept while a dialog closes, so that its text does not change during the animation.
  const [kind, setKind] = useState<Kind | null>(null);
  const open = (next: Kind, device: Target) => {
    setTarget(device);
    setKind(next);
  };
  const close = () => setKind(null);
  const refresh = () => queryClient.invalidateQueries(trpc.devices.pathFilter());

  const setMaintenance = async (device: Target, on: boolean): Promise<void> => {
    try {
      // Ending it must not imply a heartbeat: the device is offline until its next one.
      await client.devices.update.mutate({ uid: device.uid, change: { status: on ? "maintenance" : "offline" } });
      await refresh();
      toast.success(on ? `${device.name} is in maintenance` : `Maintenance of ${device.name} ended`, {
        description: on
          ? "Its silence raises no alert until maintenance ends."
          : "Its next heartbeat brings it online.",
      });
    } catch (error) {
      toast.failure(error, { title: "The status was not changed", onRetry: () => void setMaintenance(device, on) });
    }
  };

  const remove = async (device: Target) => {
    try {
      await client.devices.delete.mutate({ uid: device.uid });
    } catch (error) {
      toast.failure(error, { title: "The device was not deleted" });
      throw error;
    }
    toast.success(`${device.name} was deleted`);
    onDeleted(device.uid);
    await queryClient.invalidateQueries(trpc.fleet.devices.pathFilter());
  };

  const menu: DeviceActions["menu"] = (device, options = {}) => [
    ...(options.open
      ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: `/devices/${device.uid}` }]
      : []),
    {
      label: "Edit details",
      icon: <Pencil aria-hidden />,
      disabledReason: manage,
      onSelect: () => open("edit", device),
    },
    {
      label: device.status === "maintenance" ? "End maintenance" : "Put into maintenance",
      icon: <Wrench aria-hidden />,
      disabledReason: view,
      onSelect: () =>
        device.status === "maintenance" ? void setMaintenance(device, false) : open("maintenance", device),
    },
    {
      label: "Silence its alerts",
      disabledReason: view,
      icon: <BellOff aria-hidden />,
      href: `/settings/silences?new=1&device_id=${device.uid}&ends=4`,
    },
    {
      label: "Rotate token",
      icon: <KeyRound aria-hidden />,
      disabledReason: manage,
      onSelect: () => open("rotate", device),
    },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: manage,
      onSelect: () => open("delete", device),
    },
  ];

  const dialogs = target && (
    <>
      <Suspense>
        {kind === "edit" && <EditDeviceDialog key={target.uid} device={target} open onClose={close} />}
      </Suspense>
      <RotateTokenDialog key={target.uid} device={target} open={kind === "rotate"} onClose={close} />
      {kind === "maintenance" && <MaintenanceDialog devices={[target]} onClose={close} />}
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(next) => !next && close()}
        title={`Delete ${target.name}?`}
        description="Its token stops working immediately. Its recordings, events and alerts are kept under its name."
        action="Delete device"
        typeToConfirm={target.name.trim()}
        onConfirm={() => remove(target)}
      />
    </>
  );
  return { menu, setMaintenance, confirmMaintenance: (device) => open("maintenance", device), dialogs };
}
