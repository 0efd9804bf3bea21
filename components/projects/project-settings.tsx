"use client";

import { useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { Input } from "@/components/kit/input";
import { PageBody, Section } from "@/components/kit/page-header";
import { Select } from "@/components/kit/select";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { CreateProject } from "@/domain/projects/schema";
import { ProjectAccess } from "./project-access";
import type { ProjectDetail } from "./query";
import { ReviewChoice } from "./review-choice";

const { shape } = CreateProject;
const About = z.object({
  name: shape.name,
  short_description: shape.short_description,
  visibility: shape.visibility,
});

const visibilityOptions = [
  { value: "private" as const, label: "Private" },
  { value: "public" as const, label: "Public" },
];

/** What a project is called and who sees it. */
export function ProjectSettings({ project }: { project: ProjectDetail }) {
  const reason = usePermissions().refusal({ role: "admin" });
  return (
    <PageBody narrow>
      <Section title="About" description={reason}>
        <AboutForm
          // Made anew once another value is stored; counts that move leave alone what is typed.
          key={JSON.stringify([project.name, project.short_description, project.visibility])}
          project={project}
          reason={reason}
        />
      </Section>
      <Section title="Review">
        <ProjectReview project={project} disabled={reason !== undefined} />
      </Section>
      <Section title="Who sees it">
        <ProjectAccess project={project} />
      </Section>
    </PageBody>
  );
}

function ProjectReview({ project, disabled }: { project: ProjectDetail; disabled: boolean }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <ReviewChoice
      value={project}
      disabled={disabled}
      onChange={async (change) => {
        try {
          await client.projects.update.mutate({ uid: project.uid, change });
        } catch (error) {
          toast.failure(error, { title: `${project.name} was not changed` });
        }
        await queryClient.invalidateQueries(trpc.projects.pathFilter());
      }}
    />
  );
}

function AboutForm({ project, reason }: { project: ProjectDetail; reason: string | undefined }) {
  const { uid, name, short_description: description, visibility } = project;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const form = useApiForm({
    schema: About,
    defaultValues: { name, short_description: description, visibility },
    onSubmit: async (change) => {
      await client.projects.update.mutate({ uid, change });
      toast.success(`${change.name} changed`);
      await Promise.all([
        queryClient.invalidateQueries(trpc.projects.pathFilter()),
        queryClient.invalidateQueries(trpc.datasets.projects.pathFilter()),
      ]);
    },
  });
  const disabled = reason !== undefined;
  return (
    <Form form={form}>
      <FormField form={form} name="name" label="Name">
        {(control) => <Input {...control} maxLength={100} autoComplete="off" disabled={disabled} />}
      </FormField>
      <FormField form={form} name="short_description" label="Description" optional>
        {(control) => <Input {...control} maxLength={1_000} autoComplete="off" disabled={disabled} />}
      </FormField>
      <FormField form={form} name="visibility" label="Visibility">
        {({ value, onChange }) => (
          <Select options={visibilityOptions} value={value ?? "private"} onValueChange={onChange} disabled={disabled} />
        )}
      </FormField>
      <FormActions>
        <SubmitButton form={form} disabledReason={reason}>
          Save
        </SubmitButton>
      </FormActions>
    </Form>
  );
}
