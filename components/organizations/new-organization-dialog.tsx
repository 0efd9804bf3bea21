"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useWatch } from "react-hook-form";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { useQuietValue } from "@/components/kit/quiet-value";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { maxNameLength } from "@/domain/limits";
import { CreateOrganization } from "@/domain/organizations/schema";
import { AddressLine } from "./address-line";

/** The address is looked up this long (milliseconds) after the last change of the name. */
const quietMs = 250;

export interface NewOrganizationDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called with the new organization's slug. */
  onCreated: (slug: string) => void;
}

export function NewOrganizationDialog({ open, onOpenChange, onCreated }: NewOrganizationDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const form = useApiForm({
    schema: CreateOrganization,
    defaultValues: { name: "" },
    onSubmit: async (values) => onCreated((await client.organizations.create.mutate(values)).slug),
  });
  const name = useQuietValue(useWatch({ control: form.control, name: "name" }).trim(), quietMs);
  const { data: address } = useQuery({
    ...trpc.organizations.previewAddress.queryOptions({ name }),
    enabled: name !== "" && name.length <= maxNameLength,
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="sm"
      title="New organization"
      description="You become its owner. Devices, recordings and members belong to one organization each."
    >
      <Form form={form}>
        <FormField
          form={form}
          name="name"
          label="Name"
          hint={<AddressLine address={name === "" ? undefined : address} />}
        >
          {(control) => <Input {...control} autoComplete="organization" />}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Create organization</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
