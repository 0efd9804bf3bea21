"use client";

import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { SharingChoice } from "@/components/product/sharing-choice";
import { toast } from "@/components/product/toast";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { CreateLayout } from "@/domain/layouts/schema";
import type { Layout } from "@/domain/layouts/tree";

type SavedLayout = Outputs["layouts"]["get"];

interface SaveLayoutDialogProps {
  /** The layout that gets another name or owner; null to save the one on the page as a new one. */
  renames: { uid: string; name: string; shared: boolean } | null;
  tree: Layout;
  onSaved: (layout: SavedLayout) => Promise<void>;
  onClose: () => void;
}

const Fields = CreateLayout.pick({ name: true, shared: true });

/** The dialog for the name of a layout, and for who has it. */
export default function SaveLayoutDialog({ renames, tree, onSaved, onClose }: SaveLayoutDialogProps) {
  const client = useTRPCClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const form = useApiForm({
    schema: Fields,
    defaultValues: { name: renames?.name ?? "", shared: renames?.shared ?? false },
    onSubmit: async (values) => {
      const saved = renames
        ? await client.layouts.update.mutate({ uid: renames.uid, ...values })
        : await client.layouts.create.mutate({ ...values, tree });
      await onSaved(saved);
      toast.success(`Saved layout ${saved.name}`);
    },
  });
  const title = renames ? "Rename or share the layout" : "Save the layout";
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={title}
      description="Keeps which panels there are, what they show, and how large they are."
    >
      <Form form={form}>
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="shared" label="Who has it">
          {({ value, onChange }) => (
            <SharingChoice label="Who has it" value={value} onChange={onChange} reason={reason} />
          )}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Save layout</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
