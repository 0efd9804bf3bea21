"use client";

import type { z } from "zod";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { SharingChoice } from "@/components/product/sharing-choice";
import { toast } from "@/components/product/toast";
import { CreateView } from "@/domain/views/schema";

const Fields = CreateView.pick({ name: true, shared: true });
export type SaveFields = z.output<typeof Fields>;

export interface SaveDialogProps {
  noun: "view" | "query";
  /** What is saved, and for whom. */
  description: string;
  /** Whether its owner chooses who sees it. */
  isShareable: boolean;
  onSave: (fields: SaveFields) => Promise<{ name: string }>;
  onClose: () => void;
}

/** The dialog for the name of what is saved, and for who sees it. */
export function SaveDialog({ noun, description, isShareable, onSave, onClose }: SaveDialogProps) {
  const reason = usePermissions().refusal();
  const form = useApiForm({
    schema: Fields,
    defaultValues: { name: "", shared: false },
    onSubmit: async (fields) => {
      const { name } = await onSave(fields);
      toast.success(`Saved ${noun} ${name}`);
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="sm" title={`Save ${noun}`} description={description}>
      <Form form={form}>
        <FormField form={form} name="name" label="Name" hint={`A ${noun} of yours with this name is replaced.`}>
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        {isShareable && (
          <FormField form={form} name="shared" label="Who sees it">
            {({ value, onChange }) => (
              <SharingChoice label="Who sees it" value={value} onChange={onChange} reason={reason} />
            )}
          </FormField>
        )}
        <FormActions>
          <SubmitButton form={form}>Save</SubmitButton>
        </FormActions>
      </Form>
    </Dialog>
  );
}
