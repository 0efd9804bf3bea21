"use client";

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { Input } from "@/components/kit/input";
import { RadioGroup } from "@/components/kit/radio-group";
import { TagInput } from "@/components/kit/tag-input";
import { EventPicker } from "@/components/platform-events/event-picker";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { type AgentMode, agentModes } from "@/domain/agents/execution-status";
import { listUnknownTaskTypes, RegisterAgent } from "@/domain/agents/schema";
import { required } from "@/domain/field-messages";
import { agentEventTypes } from "@/domain/platform-events/schema";
import { taskTypes } from "@/domain/projects/schema";
import { ExistingNotice } from "./existing-notice";

const AgentFields = z
  .object({
    name: RegisterAgent.shape.name,
    description: RegisterAgent.shape.description.unwrap(),
    mode: z.enum(agentModes),
    callback_url: RegisterAgent.shape.callback_url.unwrap(),
    events: RegisterAgent.shape.events,
    project: RegisterAgent.shape.project.unwrap(),
    task_types: RegisterAgent.shape.task_types.unwrap(),
  })
  .refine(({ mode, callback_url }) => mode === "poll" || callback_url.trim() !== "", {
    path: ["callback_url"],
    error: required,
  });

const modes: { value: AgentMode; label: string; hint: string }[] = [
  {
    value: "poll",
    label: "It polls",
    hint: "Your program asks for what waits and sends back its action. Needs no address, works behind any firewall.",
  },
  {
    value: "push",
    label: "Muster pushes",
    hint: "Each event is sent to your address, signed; the response may hold the action.",
  },
];

/** What the form sends: all that an agent is set to but whether it is active. */
export type AgentInput = Omit<z.output<typeof AgentFields>, "mode">;

export interface AgentFormProps {
  /** The agent to change; without it one is registered. */
  agent?: AgentInput & { uid: string };
  onSubmit: (input: AgentInput) => Promise<unknown>;
  onCancel: () => void;
  action: string;
}

const unknownType = (type: string): string | undefined =>
  listUnknownTaskTypes([type]).length > 0 ? "No task of Muster has this type." : undefined;

/** What agents get beyond what webhooks do. */
const sampleExecution = { execution_uid: "019a9e3b-1f70-7d1c-a1a3-2f5f7c1f0a42" };

/** What an agent is called, how it gets its events, and which. */
export function AgentForm({ agent, onSubmit, onCancel, action }: AgentFormProps) {
  const trpc = useTRPC();
  const projects = useQuery(trpc.agents.projects.queryOptions());
  const reason = usePermissions().refusal({ role: "admin" });
  const [exists, setExists] = useState(false);
  const form = useApiForm({
    schema: AgentFields,
    defaultValues: {
      name: agent?.name ?? "",
      description: agent?.description ?? "",
      mode: agent && agent.callback_url !== "" ? "push" : "poll",
      callback_url: agent?.callback_url ?? "",
      events: (agent?.events ?? ["result.submitted"]) as AgentInput["events"],
      project: agent?.project ?? null,
      task_types: agent?.task_types ?? [],
    },
    onSubmit: async ({ mode, callback_url: address, ...values }) => {
      await onSubmit({ ...values, callback_url: mode === "poll" ? "" : address.trim() });
    },
  });
  const values = useWatch({ control: form.control });

  return (
    <Form form={form}>
      <FormField form={form} name="name" label="Name" hint="Unique in the organization, such as “label check”.">
        {(control) => <Input {...control} autoComplete="off" />}
      </FormField>
      {!agent && <ExistingNotice values={values} onFound={setExists} />}
      <FormField form={form} name="description" label="Description" optional>
        {(control) => <Input {...control} autoComplete="off" />}
      </FormField>
      <FormField form={form} name="mode" label="How it gets its events" group>
        {({ value, onChange }) => <RadioGroup options={modes} value={value} onValueChange={onChange} />}
      </FormField>
      {values.mode === "push" && (
        <FormField
          form={form}
          name="callback_url"
          label="Callback address"
          hint="https. Private addresses only where the operator allows them (EGRESS_ALLOW_CIDRS)."
        >
          {(control) => (
            <Input
              {...control}
              type="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="https://agents.example.com/events"
            />
          )}
        </FormField>
      )}
      <FormField form={form} name="events" label="Events" group>
        {({ value, onChange }) => (
          <EventPicker value={value} onValueChange={onChange} events={agentEventTypes} extra={sampleExecution} />
        )}
      </FormField>
      <Two>
        <FormField form={form} name="project" label="Project" optional hint="Only events of this project.">
          {({ value, onChange }) => (
            <Combobox
              clearable
              options={(projects.data ?? []).map(({ uid, name }) => ({ value: uid, label: name }))}
              loading={projects.isPending}
              value={value}
              onValueChange={onChange}
              placeholder="Every project"
              emptyText="No project"
            />
          )}
        </FormField>
        <FormField form={form} name="task_types" label="Task types" optional hint="Only tasks of these types.">
          {({ value, onChange, ...control }) => (
            <TagInput
              {...control}
              value={value}
              onValueChange={onChange}
              suggestions={taskTypes}
              problem={unknownType}
              noun="task type"
              placeholder="Every type"
            />
          )}
        </FormField>
      </Two>
      <div className="sticky -bottom-5 z-10 -mx-5 -mb-5 flex justify-end gap-2 border-t bg-raised px-5 py-3">
        <Button onClick={onCancel}>Cancel</Button>
        <SubmitButton form={form} disabledReason={reason}>
          {exists ? "Change agent" : action}
        </SubmitButton>
      </div>
    </Form>
  );
}

const Two = ({ children }: { children: ReactNode }) => <div className="grid gap-4 sm:grid-cols-2">{children}</div>;
