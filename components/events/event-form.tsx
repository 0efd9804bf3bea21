"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { TagInput } from "@/components/kit/tag-input";
import { Textarea } from "@/components/kit/textarea";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { severityOptions } from "@/components/product/severity-options";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { UpdateEvent } from "@/domain/events/schema";
import type { EventRow } from "./query";

const Editable = z.object({
  label: UpdateEvent.shape.label.unwrap(),
  severity: UpdateEvent.shape.severity.unwrap(),
  tags: UpdateEvent.shape.tags.unwrap(),
  description: UpdateEvent.shape.description.unwrap(),
});

/** Edits an event's label, description, severity and tags. */
export function EventForm({ event, onDone }: { event: EventRow; onDone: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const known = useQuery(trpc.events.vocabulary.queryOptions()).data?.tags ?? [];
  const form = useApiForm({
    schema: Editable,
    defaultValues: {
      label: event.label,
      severity: event.severity,
      tags: [...event.tags],
      description: event.description,
    },
    onSubmit: async (change) => {
      await client.events.update.mutate({ uid: event.uid, change });
      await queryClient.invalidateQueries(trpc.events.pathFilter());
      onDone();
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="label" label="Label">
        {(control) => <Input {...control} autoComplete="off" />}
      </FormField>
      <FormField form={form} name="severity" label="Severity">
        {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={severityOptions} />}
      </FormField>
      <FormField form={form} name="tags" label="Tags">
        {({ value, onChange }) => <TagInput value={value} onValueChange={onChange} suggestions={known} />}
      </FormField>
      <FormField form={form} name="description" label="Description" optional>
        {(control) => <Textarea {...control} rows={3} />}
      </FormField>
      <FormActions>
        <SubmitButton form={form}>Save</SubmitButton>
        <Button onClick={onDone}>Cancel</Button>
      </FormActions>
    </Form>
  );
}
