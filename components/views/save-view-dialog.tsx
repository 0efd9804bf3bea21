"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { SharingChoice } from "@/components/product/sharing-choice";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { CreateView, type ViewScreen } from "@/domain/views/schema";

/** The dialog for the name and visibility of a saved view. */
export function SaveViewDialog({ screen, query, onClose }: { screen: ViewScreen; query: string; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal();
  const form = useApiForm({
    schema: CreateView,
    defaultValues: { screen, query, name: "", shared: false },
    onSubmit: async (values) => {
      const { name } = await client.views.save.mutate(values);
      await queryClient.invalidateQueries(trpc.views.list.queryFilter({ screen }));
      toast.success(`Saved view ${name}`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title="Save view"
      description="Keeps the filters, the order and the tab of this list under a name."
    >
      <Form form={form}>
        <FormField form={form} name="name" label="Name" hint="A view of yours with this name is replaced.">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="shared" label="Who sees it">
          {({ value, onChange }) => (
            <SharingChoice label="Who sees it" value={value} onChange={onChange} reason={reason} />
          )}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Save view</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
