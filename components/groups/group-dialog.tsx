"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { CreateGroup } from "@/domain/devices/schema";
import type { Group } from "./query";

const Details = z.object({
  name: CreateGroup.shape.name,
  description: CreateGroup.shape.description.unwrap(),
  parent_id: CreateGroup.shape.parent_id.unwrap(),
});

export interface GroupDialogProps {
  /** The group that is changed; null makes a new one. */
  group: Group | null;
  /** The group that a new one is made in. */
  parent?: Pick<Group, "uid" | "name"> | undefined;
  onClose: () => void;
  onSaved?: (uid: string) => void;
}

/** The name, description and place of a group. */
export function GroupDialog({ group, parent, onClose, onSaved }: GroupDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [search, setSearch] = useState("");
  const around = group?.path.at(-1) ?? parent;
  const targets = useQuery({
    ...trpc.groups.targets.queryOptions({ search, ...(group && { moving: group.uid }) }),
    placeholderData: keepPreviousData,
  });
  const form = useApiForm({
    schema: Details,
    defaultValues: {
      name: group?.name ?? "",
      description: group?.description ?? "",
      parent_id: around?.uid ?? null,
    },
    onSubmit: async (values) => {
      const { uid } = group
        ? await client.groups.update.mutate({ uid: group.uid, change: values })
        : await client.groups.create.mutate(values);
      await queryClient.invalidateQueries(trpc.groups.pathFilter());
      toast.success(group ? `${values.name} was saved` : `${values.name} was created`);
      onClose();
      onSaved?.(uid);
    },
  });
  const options = (targets.data ?? []).map(({ uid, name, path }) => ({
    value: uid,
    label: name,
    ...(path !== "" && { hint: path }),
  }));
  // What is chosen keeps its name while other names are searched for.
  if (around && !options.some(({ value }) => value === around.uid))
    options.push({ value: around.uid, label: around.name });
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      size="sm"
      title={group ? `Edit ${group.name}` : "New group"}
    >
      <Form form={form}>
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="description" label="Description" optional>
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField
          form={form}
          name="parent_id"
          label="Inside"
          optional
          hint="Rules for a group watch the devices of the groups inside it too."
        >
          {({ onChange, value, ref: _, onBlur: __, ...control }) => (
            <Combobox
              {...control}
              value={value}
              onValueChange={onChange}
              onSearch={setSearch}
              loading={targets.isFetching}
              options={options}
              clearable
              placeholder="No other group"
              emptyText="No group with that name"
            />
          )}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>{group ? "Save" : "Create group"}</SubmitButton>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
