"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Tag, Tags, Wrench } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { TagInput } from "@/components/kit/tag-input";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { MaintenanceDialog } from "./maintenance-dialog";
import type { DeviceRow } from "./query";

type OpenDialog = "add" | "remove" | "maintenance" | null;

/** What can be done with the ticked devices together. */
export function DeviceBulkBar({ devices, clear }: { devices: readonly DeviceRow[]; clear: () => void }) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const reason = usePermissions().refusal();
  return (
    <>
      <Button size="sm" disabledReason={reason} icon={<Tag aria-hidden />} onClick={() => setDialog("add")}>
        Add tags
      </Button>
      <Button size="sm" disabledReason={reason} icon={<Tags aria-hidden />} onClick={() => setDialog("remove")}>
        Remove tags
      </Button>
      <Button size="sm" disabledReason={reason} icon={<Wrench aria-hidden />} onClick={() => setDialog("maintenance")}>
        Maintenance
      </Button>
      {(dialog === "add" || dialog === "remove") && (
        <TagDialog mode={dialog} devices={devices} onClose={close} onDone={clear} />
      )}
      {dialog === "maintenance" && <MaintenanceDialog devices={devices} onClose={close} onDone={clear} />}
    </>
  );
}

interface TagDialogProps {
  mode: "add" | "remove";
  devices: readonly DeviceRow[];
  onClose: () => void;
  onDone: () => void;
}

function TagDialog({ mode, devices, onClose, onDone }: TagDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [tags, setTags] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const present = [...new Set(devices.flatMap((device) => device.tags))].sort();
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.fleet.pathFilter()),
      queryClient.invalidateQueries(trpc.devices.pathFilter()),
    ]);

  const undo = async (changed: readonly { uid: string; before: string[] }[]) => {
    try {
      for (const { uid, before } of changed) await client.devices.update.mutate({ uid, change: { tags: before } });
    } catch (error) {
      toast.failure(error, { title: "The tags were not put back" });
    }
    await refresh();
  };
  const apply = async () => {
    setBusy(true);
    try {
      const changed = await client.fleet.tag.mutate({ device_ids: devices.map(({ uid }) => uid), [mode]: tags });
      await refresh();
      toast.undo(`Tags of ${plural(changed.length, "device")} changed`, () => void undo(changed));
      onClose();
      onDone();
    } catch (error) {
      setBusy(false);
      toast.failure(error, { title: "The tags were not changed" });
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`${mode === "add" ? "Add tags to" : "Remove tags from"} ${plural(devices.length, "device")}`}
      footer={
        <DialogActions
          action={mode === "add" ? "Add tags" : "Remove tags"}
          busy={busy}
          disabled={tags.length === 0}
          onAction={apply}
          onCancel={onClose}
        />
      }
    >
      <Field
        label="Tags"
        hint={mode === "remove" && present.length > 0 ? `Present: ${present.slice(0, 12).join(", ")}` : undefined}
      >
        <TagInput value={tags} onValueChange={setTags} />
      </Field>
    </Dialog>
  );
}
