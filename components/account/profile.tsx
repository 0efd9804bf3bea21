"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { Input } from "@/components/kit/input";
import { KeyValue } from "@/components/kit/key-value";
import { PageBody, PageHeader, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { ChangePassword, UpdateProfile } from "@/domain/organizations/schema";
import { SecondFactor } from "./second-factor";
import { SessionList } from "./session-list";

type ProfileData = Outputs["account"]["profile"];

/** One's own name, password and sessions, and further sections as `children`. */
export function Profile({ children }: { children: ReactNode }) {
  const trpc = useTRPC();
  const profile = useQuery(trpc.account.profile.queryOptions());
  return (
    <>
      <PageHeader title="Profile" />
      <PageBody narrow>
        {profile.data ? (
          <>
            <Section title="You">
              <KeyValue
                items={[
                  ["Username", profile.data.username],
                  ["E-mail", <EmailAddress key="email" profile={profile.data} />],
                  ["User", <UidChip key="uid" uid={profile.data.uid} max={24} />],
                ]}
              />
              <NameForm profile={profile.data} />
            </Section>
            {profile.data.password_set ? (
              <Section title="Password" description="Changing it ends all your other sessions.">
                <PasswordForm />
              </Section>
            ) : (
              <Section
                title="Password"
                description="You have none: you sign in through your organization. To get one, use “Forgot your password?” on the sign-in page."
              >
                {null}
              </Section>
            )}
            <Section
              title="Second factor"
              description="A code of an app on your phone, asked for after the password. API keys do not need it."
            >
              <SecondFactor />
            </Section>
            <Section
              title="Sessions"
              description="The browsers you are signed in with. Signing one out leaves API keys valid."
            >
              <SessionList />
            </Section>
            {children}
          </>
        ) : profile.error ? (
          <ErrorState error={profile.error} onRetry={() => void profile.refetch()} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </PageBody>
    </>
  );
}

/** The address, and while it is not confirmed, what that means and the way to confirm it. */
function EmailAddress({ profile }: { profile: ProfileData }) {
  const trpc = useTRPC();
  const policy = useQuery(trpc.account.signUpPolicy.queryOptions());
  const send = useMutation(
    trpc.account.requestVerification.mutationOptions({
      onSuccess: () => toast.success(`A mail with a link is on its way to ${profile.email}`),
      onError: (error) => toast.failure(error),
    }),
  );
  if (profile.email_verified || !policy.data?.sends_mail) return profile.email;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{profile.email}</span>
      <span className="text-muted">Not confirmed: no mail is sent to others in your name.</span>
      <Button size="sm" busy={send.isPending} onClick={() => send.mutate()}>
        Send a link to confirm it
      </Button>
    </span>
  );
}

function NameForm({ profile }: { profile: ProfileData }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: UpdateProfile,
    defaultValues: { first_name: profile.first_name, last_name: profile.last_name },
    onSubmit: async (values) => {
      await client.account.updateProfile.mutate(values);
      toast.success("Name saved");
    },
  });
  return (
    <Form form={form} className="mt-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField form={form} name="first_name" label="First name" optional>
          {(control) => <Input {...control} value={control.value ?? ""} autoComplete="given-name" />}
        </FormField>
        <FormField form={form} name="last_name" label="Last name" optional>
          {(control) => <Input {...control} value={control.value ?? ""} autoComplete="family-name" />}
        </FormField>
      </div>
      <FormActions>
        <SubmitButton form={form}>Save name</SubmitButton>
      </FormActions>
    </Form>
  );
}

function PasswordForm() {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const form = useApiForm({
    schema: ChangePassword,
    defaultValues: { current_password: "", new_password: "" },
    onSubmit: async (values) => {
      await client.account.changePassword.mutate(values);
      form.reset();
      toast.success("Password changed");
      void queryClient.invalidateQueries(trpc.account.sessions.queryFilter());
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="current_password" label="Current password">
        {(control) => <Input {...control} type="password" autoComplete="current-password" />}
      </FormField>
      <FormField form={form} name="new_password" label="New password" hint="At least 8 characters.">
        {(control) => <Input {...control} type="password" autoComplete="new-password" />}
      </FormField>
      <FormActions>
        <SubmitButton form={form}>Change password</SubmitButton>
      </FormActions>
    </Form>
  );
}
