"use client";

import { useState } from "react";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { SecretOnce } from "@/components/product/secret-once";
import { useTRPCClient } from "@/components/trpc/client";
import { CreateKey, scopePresets, type KeyLifetime } from "@/domain/api-keys/schema";
import { ScopeMatrix } from "./scope-matrix";

const lifetimes: { value: KeyLifetime; label: string }[] = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
  { value: "never", label: "Never" },
];

export interface CreateKeyDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCreated: () => void;
}

/** Name, scopes and expiry, then the key itself, this once. */
export function CreateKeyDialog({ open, onOpenChange, onCreated }: CreateKeyDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    onOpenChange(false);
    setSecret(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      locked={secret !== null}
      size="md"
      title={secret === null ? "Create API key" : "Your new key"}
    >
      {secret === null ? (
        <CreateKeyForm
          onCreated={(key) => {
            setSecret(key);
            onCreated();
          }}
        />
      ) : (
        <SecretOnce label="API key" secret={secret} onStored={close} />
      )}
    </Dialog>
  );
}

function CreateKeyForm({ onCreated }: { onCreated: (key: string) => void }) {
  const client = useTRPCClient();
  const { readOnly } = usePermissions();
  const form = useApiForm({
    schema: CreateKey,
    defaultValues: { name: "", scopes: readOnly ? [...scopePresets["read-only"]] : [], expiry: "90" },
    onSubmit: async ({ expiry, ...values }) => {
      const lifetime = lifetimes.find(({ value }) => value === expiry)?.value;
      onCreated((await client.apiKeys.create.mutate({ ...values, ...(lifetime && { expiry: lifetime }) })).key);
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="name" label="Name" hint="What uses it, such as “nightly export”.">
        {(control) => <Input {...control} autoFocus />}
      </FormField>
      <FormField
        form={form}
        name="scopes"
        label="Access"
        group
        hint={readOnly ? "You can only view, and so can your keys." : undefined}
      >
        {(control) => <ScopeMatrix value={control.value ?? []} onValueChange={control.onChange} readOnly={readOnly} />}
      </FormField>
      <FormField form={form} name="expiry" label="Expires">
        {(control) => (
          <Select options={lifetimes} value={String(control.value) as KeyLifetime} onValueChange={control.onChange} />
        )}
      </FormField>
      <FormActions>
        <SubmitButton form={form}>Create key</SubmitButton>
      </FormActions>
    </Form>
  );
}
