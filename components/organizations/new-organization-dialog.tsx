"use client";

import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useTRPCClient } from "@/components/trpc/client";
import { CreateOrganization } from "@/domain/organizations/schema";

export interface NewOrganizationDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called with the new organization's slug. */
  onCreated: (slug: string) => void;
}

export function NewOrganizationDialog({ open, onOpenChange, onCreated }: NewOrganizationDialogProps) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: CreateOrganization,
    defaultValues: { name: "" },
    onSubmit: async (values) => onCreated((await client.organizations.create.mutate(values)).slug),
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
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} autoComplete="organization" />}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Create organization</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
