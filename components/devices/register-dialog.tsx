"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { CodeTabs } from "@/components/kit/code-block";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { SuggestInput } from "@/components/kit/suggest-input";
import { TagInput } from "@/components/kit/tag-input";
import { ElapsedTime } from "@/components/kit/time";
import { Waiting } from "@/components/kit/waiting";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { SecretOnce } from "@/components/product/secret-once";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { CreateDevice } from "@/domain/devices/schema";
import { connectTabs, envFile } from "./commands";
import { MetadataRows } from "./metadata-rows";
import { readDrafts, type MetadataDraft } from "./metadata-values";

type Registered = Outputs["devices"]["register"];

export interface RegisterDialogProps {
  open: boolean;
  onClose: () => void;
  onRegistered: (uid: string) => void;
}

/** Registers a device, then shows its token once and waits with the person for its first heartbeat. */
export function RegisterDialog({ open, onClose, onRegistered }: RegisterDialogProps) {
  const [device, setDevice] = useState<Registered | null>(null);
  // A closing dialog keeps its content; an opening one starts empty.
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setDevice(null);
  }
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      locked={device !== null}
      size={device ? "lg" : "md"}
      title={device ? `${device.name} is registered` : "Register device"}
      description={device ? "Give the device its token; with it, the device reports and uploads by itself." : undefined}
    >
      {device ? (
        <Connect device={device} onDone={onClose} />
      ) : (
        <RegisterForm
          onCancel={onClose}
          onRegistered={(registered) => {
            setDevice(registered);
            onRegistered(registered.uid);
          }}
        />
      )}
    </Dialog>
  );
}

const Registration = CreateDevice.pick({ name: true, tags: true }).extend({
  // An empty box is one that was not filled in.
  type: z
    .string()
    .transform((text) => text.trim() || undefined)
    .pipe(CreateDevice.shape.type),
});

function RegisterForm({
  onCancel,
  onRegistered,
}: {
  onCancel: () => void;
  onRegistered: (device: Registered) => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const known = useQuery(trpc.devices.vocabulary.queryOptions()).data;
  const reason = usePermissions().refusal({ role: "admin" });
  const [rows, setRows] = useState<MetadataDraft[]>([]);
  const [checked, setChecked] = useState(false);
  const { metadata, problems } = readDrafts(rows);

  const form = useApiForm({
    schema: Registration,
    defaultValues: { name: "", type: "", tags: [] },
    onSubmit: async ({ name, type, tags }) => {
      setChecked(true);
      if (problems.size > 0) return;
      onRegistered(await client.devices.register.mutate({ name: name.trim(), type, tags, metadata }));
      await queryClient.invalidateQueries(trpc.devices.pathFilter());
    },
  });

  return (
    <Form form={form}>
      <FormField form={form} name="name" label="Name">
        {(control) => <Input {...control} placeholder="arm-04" autoComplete="off" />}
      </FormField>
      <FormField
        form={form}
        name="type"
        label="Type"
        optional
        hint="What kind of machine it is; filters and rules can use it."
      >
        {({ onChange, ...control }) => (
          <SuggestInput
            {...control}
            onValueChange={onChange}
            suggestions={known?.types.filter((type) => type !== "unknown") ?? []}
            placeholder="manipulator"
          />
        )}
      </FormField>
      <FormField form={form} name="tags" label="Tags" optional>
        {({ onChange, value, ...control }) => (
          <TagInput
            {...control}
            value={value ?? []}
            onValueChange={onChange}
            suggestions={known?.tags}
            placeholder="hall-2, blue"
          />
        )}
      </FormField>
      <Field group label="Metadata" optional hint="Anything else worth knowing: site, serial number, calibration.">
        <MetadataRows rows={rows} onChange={setRows} problems={checked ? problems : none} />
      </Field>
      <div className="-mx-5 -mb-5 flex justify-end gap-2 border-t px-5 py-3">
        <Button onClick={onCancel}>Cancel</Button>
        <SubmitButton form={form} disabledReason={reason}>
          Register
        </SubmitButton>
      </div>
    </Form>
  );
}

const none: ReadonlyMap<number, string> = new Map();

function Connect({ device, onDone }: { device: Registered; onDone: () => void }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const credentials = { origin, token: device.device_token, name: device.name };
  const seen = useQuery({
    ...trpc.devices.get.queryOptions({ uid: device.uid }),
    // The server announces changes; this is for networks that block event streams.
    refetchInterval: (query) => (query.state.data?.last_seen_at == null ? 15_000 : false),
  }).data?.last_seen_at;
  const arrived = seen !== undefined && seen !== null;
  return (
    <SecretOnce label="Device token" secret={device.device_token} file={envFile(credentials)} onStored={onDone}>
      <CodeTabs label="Ways to connect the device" tabs={connectTabs(credentials)} />
      <Waiting
        done={arrived}
        waiting="Waiting for first heartbeat…"
        arrived={`${device.name} is online`}
        hint={
          arrived ? (
            "Its first heartbeat has arrived."
          ) : (
            <>
              Send it with the command above. Waiting for <ElapsedTime since={device.created_at} />.
            </>
          )
        }
      />
    </SecretOnce>
  );
}
