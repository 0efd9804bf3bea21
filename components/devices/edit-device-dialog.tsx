"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { SuggestInput } from "@/components/kit/suggest-input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { UpdateDevice } from "@/domain/devices/schema";
import type { Device } from "./query";

const Details = z.object({
  name: UpdateDevice.shape.name.unwrap(),
  type: UpdateDevice.shape.type.unwrap(),
  firmware_version: z.string(),
});

export interface EditDeviceDialogProps {
  device: Pick<Device, "uid" | "name" | "type" | "firmware_version">;
  open: boolean;
  onClose: () => void;
}

/** Name, type and firmware of a device; tags and metadata are edited in place. */
export function EditDeviceDialog({ device, open, onClose }: EditDeviceDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const types = useQuery({ ...trpc.devices.vocabulary.queryOptions(), enabled: open }).data?.types ?? [];
  const form = useApiForm({
    schema: Details,
    defaultValues: { name: device.name, type: device.type, firmware_version: device.firmware_version ?? "" },
    onSubmit: async ({ firmware_version: firmware, ...details }) => {
      const change = { ...details, firmware_version: firmware.trim() === "" ? null : firmware.trim() };
      await client.devices.update.mutate({ uid: device.uid, change });
      await queryClient.invalidateQueries(trpc.devices.pathFilter());
      toast.success(`${details.name} was saved`);
      onClose();
    },
  });
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} size="sm" title={`Edit ${device.name}`}>
      <Form form={form}>
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="type" label="Type">
          {({ onChange, ...control }) => <SuggestInput {...control} onValueChange={onChange} suggestions={types} />}
        </FormField>
        <FormField
          form={form}
          name="firmware_version"
          label="Firmware"
          optional
          hint="A heartbeat that names a version replaces it."
        >
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Save</SubmitButton>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
