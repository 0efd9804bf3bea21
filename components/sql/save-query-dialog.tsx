"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { SaveQuery } from "@/domain/signals/schema";

/** The dialog for the name of a query. */
export function SaveQueryDialog({ sql, onClose }: { sql: string; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const form = useApiForm({
    schema: SaveQuery,
    defaultValues: { sql, name: "" },
    onSubmit: async (values) => {
      const { name } = await client.signals.save.mutate(values);
      await queryClient.invalidateQueries(trpc.signals.saved.queryFilter());
      toast.success(`Saved query ${name}`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title="Save query"
      description="Keeps the SQL under a name, for everyone in the organization, without the devices, recordings and times."
    >
      <Form form={form}>
        <FormField form={form} name="name" label="Name" hint="A query of yours with this name is replaced.">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Save</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
