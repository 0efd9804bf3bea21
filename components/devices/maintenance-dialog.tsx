"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { maxReasonLength } from "@/domain/limits";

const lengths = [
  { value: "1", label: "1 hour" },
  { value: "4", label: "4 hours" },
  { value: "8", label: "8 hours" },
  { value: "24", label: "1 day" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
] as const;

type Hours = (typeof lengths)[number]["value"];

export interface MaintenanceDialogProps {
  devices: readonly { uid: string; name: string }[];
  onClose: () => void;
  onDone?: () => void;
}

/** Puts devices into maintenance until a time; as long, a silence mutes what rules find on them. */
export function MaintenanceDialog({ devices, onClose, onDone }: MaintenanceDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [hours, setHours] = useState<Hours>("4");
  const [reason, setReason] = useState("Maintenance");
  const [busy, setBusy] = useState(false);
  const [only] = devices.length === 1 ? devices : [];

  const apply = async () => {
    setBusy(true);
    try {
      const until = new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
      await client.fleet.maintain.mutate({ device_ids: devices.map(({ uid }) => uid), until, reason: reason.trim() });
      await Promise.all(
        [trpc.fleet, trpc.devices, trpc.silences].map((router) => queryClient.invalidateQueries(router.pathFilter())),
      );
      toast.success(`${only ? only.name : plural(devices.length, "device")} in maintenance`, {
        description: "It ends by itself; its silence is listed under Silences.",
      });
      onClose();
      onDone?.();
    } catch (error) {
      setBusy(false);
      toast.failure(error, { title: "Nothing was put into maintenance" });
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`Put ${only ? only.name : plural(devices.length, "device")} into maintenance`}
      description="Its alerts send no notifications meanwhile. Afterwards the next heartbeat sets its status."
      footer={
        <DialogActions
          action="Start maintenance"
          busy={busy}
          disabled={reason.trim() === ""}
          onAction={apply}
          onCancel={onClose}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Ends in">
          <Select aria-label="Ends in" options={lengths} value={hours} onValueChange={setHours} />
        </Field>
        <Field label="Reason">
          <Input value={reason} maxLength={maxReasonLength} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </div>
    </Dialog>
  );
}
