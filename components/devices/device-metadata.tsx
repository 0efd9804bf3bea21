"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Section } from "@/components/kit/page-header";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { ValueList } from "@/components/product/value-list";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { messageAt } from "@/domain/issues";
import { MetadataRows, newRow } from "./metadata-rows";
import { boxText, getKind, metadataChange, readDrafts, type MetadataDraft } from "./metadata-values";
import type { Device } from "./query";

const none: ReadonlyMap<number, string> = new Map();

/**
 * The device's free-form metadata and its editor. Saving sends only the keys that were changed, so that a
 * heartbeat's concurrent changes remain.
 */
export function DeviceMetadata({ device }: { device: Pick<Device, "uid" | "name" | "metadata"> }) {
  const [before, setBefore] = useState<Record<string, unknown> | null>(null);
  const reason = usePermissions().refusal();
  return (
    <Section
      title="Metadata"
      description="Anything worth knowing about the device. Filters find devices by it."
      actions={
        before === null && (
          <Button
            size="sm"
            icon={<Pencil aria-hidden />}
            disabledReason={reason}
            onClick={() => setBefore(device.metadata)}
          >
            Edit
          </Button>
        )
      }
    >
      {before === null ? (
        <ValueList values={device.metadata} empty="None yet. Add a site, a serial number, a calibration date." />
      ) : (
        <Editor device={device} before={before} onClose={() => setBefore(null)} />
      )}
    </Section>
  );
}

function Editor(props: { device: Pick<Device, "uid" | "name">; before: Record<string, unknown>; onClose: () => void }) {
  const { device, before, onClose } = props;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [rows, setRows] = useState<MetadataDraft[]>(() => {
    const stored = Object.entries(before).map(([key, value]) => newRow(key, boxText(value), getKind(value)));
    return stored.length > 0 ? stored : [newRow()];
  });
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { metadata, problems } = readDrafts(rows);

  const save = async () => {
    setChecked(true);
    if (problems.size > 0) return;
    setBusy(true);
    try {
      await client.devices.update.mutate({ uid: device.uid, change: { metadata: metadataChange(before, metadata) } });
      await queryClient.invalidateQueries(trpc.devices.pathFilter());
      toast.success(`Metadata of ${device.name} was saved`);
      onClose();
    } catch (error) {
      const message = messageAt(readFailure(error).issues, "metadata");
      if (message) setFault(message);
      else toast.failure(error, { title: "The metadata was not saved" });
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {fault && <FormError>{fault}</FormError>}
      <MetadataRows rows={rows} onChange={setRows} problems={checked ? problems : none} />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" busy={busy}>
          Save metadata
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
