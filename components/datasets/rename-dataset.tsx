"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { CreateDataset } from "@/domain/datasets/schema";
import { datasetPath, type Dataset } from "./query";

const Rename = CreateDataset.pick({ name: true });

/** Renames a dataset; its address stays. */
export function RenameDataset({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const form = useApiForm({
    schema: Rename,
    defaultValues: { name: dataset.name },
    onSubmit: async (change) => {
      await client.datasets.update.mutate({ ...datasetPath(dataset), change });
      toast.success(`Renamed to ${change.name}`);
      onClose();
      await queryClient.invalidateQueries(trpc.datasets.pathFilter());
    },
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Rename ${dataset.name}`} size="sm">
      <Form form={form}>
        <FormField form={form} name="name" label="Name" hint="Its address stays as it is.">
          {(control) => <Input {...control} maxLength={255} autoComplete="off" />}
        </FormField>
        <div className="flex justify-end gap-2 border-t pt-4">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Rename</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}
