"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useWatch } from "react-hook-form";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { useQuietValue } from "@/components/kit/quiet-value";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { CreateDataset, dataTypes } from "@/domain/datasets/schema";
import { dataTypeLabels } from "./labels";
import { datasetHref } from "./query";

const NewDatasetFields = z.object({
  name: CreateDataset.shape.name,
  data_type: z.enum(dataTypes),
  is_sequence: z.boolean(),
  storage_config_uid: z.string(),
});

/** Each with the word that the API has for it. */
const types = dataTypes.map((value) => {
  const { label, hint } = dataTypeLabels[value];
  return { value, label, hint: `${hint}; ${value} in the API` };
});
/** No uid of a bucket; a select shows no option of an empty value. */
const own = { value: "own", label: "Muster's own storage" };

/** The address is looked up this long (milliseconds) after the last change of the name. */
const quietMs = 250;

function AddressLine({ name }: { name: string }) {
  const trpc = useTRPC();
  const quiet = useQuietValue(name, quietMs);
  const { data } = useQuery({
    ...trpc.datasets.address.queryOptions({ name: quiet }),
    enabled: quiet.trim() !== "",
    placeholderData: keepPreviousData,
  });
  if (name.trim() === "" || !data) return <>Others find it at an address made of its name.</>;
  return (
    <>
      Address: <span className="font-mono text-foreground">{data.slug}</span>
      {!data.free && " is taken, so it gets a number or letters behind it."}
    </>
  );
}

/** Makes an empty dataset and opens it. */
export function NewDataset({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data: buckets = [] } = useQuery(trpc.exports.buckets.queryOptions());
  const form = useApiForm({
    schema: NewDatasetFields,
    defaultValues: { name: "", data_type: "image", is_sequence: false, storage_config_uid: own.value },
    onSubmit: async ({ storage_config_uid: bucket, ...values }) => {
      const made = await client.datasets.create.mutate({
        ...values,
        ...(bucket !== own.value && { storage_config_uid: bucket }),
      });
      await queryClient.invalidateQueries(trpc.datasets.overview.pathFilter());
      toast.success(`${made.name} created`);
      // In place of the dialog's own address: Back leads to the list.
      router.replace(datasetHref(made));
    },
  });
  const name = useWatch({ control: form.control, name: "name" });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New dataset"
      description="A dataset is what models learn from: items of one type, and what people say of them."
    >
      <Form form={form}>
        <FormField form={form} name="name" label="Name" hint={<AddressLine name={name} />}>
          {(control) => <Input {...control} maxLength={255} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="data_type" label="Items are" group>
          {({ value, onChange }) => <RadioGroup options={types} value={value} onValueChange={onChange} />}
        </FormField>
        <FormField form={form} name="is_sequence" label="Folders" group>
          {({ value, onChange }) => (
            <Checkbox
              checked={value}
              onCheckedChange={(checked) => onChange(checked)}
              label="Each folder of an upload is a sequence of frames"
            />
          )}
        </FormField>
        <FormField form={form} name="storage_config_uid" label="Where its files are stored">
          {({ value, onChange }) => (
            <Select
              options={[
                own,
                ...buckets.map((bucket) => ({ value: bucket.uid, label: bucket.name, hint: bucket.bucket })),
              ]}
              value={value}
              onValueChange={onChange}
            />
          )}
        </FormField>
        <div className="flex justify-end gap-2 border-t pt-4">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Create dataset</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}
