"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Input } from "@/components/kit/input";
import { KeyValue } from "@/components/kit/key-value";
import { PageBody, PageHeader, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { startOverAt } from "@/components/shell/open-organization";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { CreateOrganization, deletionDays } from "@/domain/organizations/schema";

type Organization = Outputs["organizations"]["current"];

/** The organization's name, and its end. */
export function OrganizationSettings() {
  const trpc = useTRPC();
  const organization = useQuery(trpc.organizations.current.queryOptions());
  return (
    <>
      <PageHeader title="Organization" />
      <PageBody narrow>
        {organization.data ? (
          <>
            <Section title="Name">
              <KeyValue
                items={[
                  ["In addresses", organization.data.slug],
                  ["Identifier", <UidChip key="uid" uid={organization.data.uid} max={24} />],
                ]}
              />
              <NameForm organization={organization.data} />
            </Section>
            <DeletionSection organization={organization.data} />
          </>
        ) : organization.error ? (
          <ErrorState error={organization.error} onRetry={() => void organization.refetch()} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </PageBody>
    </>
  );
}

function NameForm({ organization }: { organization: Organization }) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const disabledReason = refusal({ role: "admin" });
  const form = useApiForm({
    schema: CreateOrganization,
    defaultValues: { name: organization.name },
    onSubmit: async (values) => {
      await client.organizations.update.mutate(values);
      toast.success("Name saved");
      void queryClient.invalidateQueries(trpc.organizations.pathFilter());
    },
  });
  return (
    <Form form={form} className="mt-4">
      <FormField form={form} name="name" label="Name">
        {(control) => <Input {...control} readOnly={disabledReason !== undefined} autoComplete="off" />}
      </FormField>
      <FormActions>
        <SubmitButton form={form} disabledReason={disabledReason}>
          Save name
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

function DeletionSection({ organization }: { organization: Organization }) {
  const trpc = useTRPC();
  const { refusal } = usePermissions();
  const policy = useQuery(trpc.account.signUpPolicy.queryOptions());
  const remove = useMutation(trpc.organizations.delete.mutationOptions({ onError: (error) => toast.failure(error) }));
  const [asking, setAsking] = useState(false);
  const name = organization.name.trim();
  return (
    <Section
      title="Delete organization"
      description={`For ${deletionDays} days only its owner sees it and can take that back. Then all its devices, recordings and other data are deleted for good.`}
    >
      <Button variant="danger-quiet" disabledReason={refusal({ role: "owner" })} onClick={() => setAsking(true)}>
        Delete organization
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${name}?`}
        description={`Everybody loses access immediately: its API keys, device tokens and sessions are refused, and no alert, webhook or mail is sent. You can take that back for ${deletionDays} days, in your profile${policy.data?.sends_mail ? " or by the link that is mailed to you" : ""}.`}
        action="Delete organization"
        danger
        typeToConfirm={name}
        onConfirm={async () => {
          await remove.mutateAsync({ confirm_name: name });
          startOverAt("/organizations");
        }}
      />
    </Section>
  );
}
