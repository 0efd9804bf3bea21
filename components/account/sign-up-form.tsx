"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useWatch } from "react-hook-form";
import type { z } from "zod";
import { Input } from "@/components/kit/input";
import { useQuietValue } from "@/components/kit/quiet-value";
import { AddressLine } from "@/components/organizations/address-line";
import { Form, FormField, SubmitButton, useApiForm, type ApiForm } from "@/components/product/form";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { text } from "@/domain/fields";
import { maxNameLength } from "@/domain/limits";
import { SignUp } from "@/domain/organizations/schema";
import { signIn } from "./sign-in";

/** A form sends empty text where the API expects the member to be absent. */
const SignUpFields = SignUp.extend({ organization_name: text(255).optional() });

/** The invitation by which a person signs up: the address is the invited one, and they join its organization. */
interface SignUpInvitation {
  token: string;
  email: string;
  organization: { name: string };
}

export interface SignUpFormProps {
  /** Called when the new account is signed in. */
  onSignedUp: () => void;
  invitation?: SignUpInvitation;
  /** Whether the operator's setup token has to be entered. */
  setupToken?: boolean;
}

/** The address is looked up this long (milliseconds) after the last change of what it is made of. */
const quietMs = 250;

/** The address of the organization, once there is something to make it of. */
function OwnAddress({ form }: { form: ApiForm<z.input<typeof SignUpFields>, z.output<typeof SignUpFields>> }) {
  const trpc = useTRPC();
  const [typedName = "", typedEmail] = useWatch({ control: form.control, name: ["organization_name", "email"] });
  const name = useQuietValue(typedName.trim(), quietMs);
  const email = useQuietValue(typedEmail.trim(), quietMs);
  const isAddress = SignUpFields.shape.email.safeParse(email).success;
  const isEnough = name !== "" || isAddress;
  const { data } = useQuery({
    ...trpc.account.previewAddress.queryOptions({ name, ...(isAddress && { email }) }),
    enabled: isEnough && name.length <= maxNameLength,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      The name of your company or team.
      {/* In a line of its own, so that nothing below moves when it becomes known. */}
      <span className="block">
        <AddressLine address={isEnough ? data : undefined} />
      </span>
    </>
  );
}

export function SignUpForm({ onSignedUp, invitation, setupToken = false }: SignUpFormProps) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: SignUpFields,
    defaultValues: { email: invitation?.email ?? "", password: "", organization_name: "", setup_token: "" },
    onSubmit: async ({ organization_name: name, setup_token: token, email, password }) => {
      await client.account.signUp.mutate({
        email,
        password,
        ...(name?.trim() && { organization_name: name.trim() }),
        ...(token && { setup_token: token }),
        ...(invitation && { invitation: invitation.token }),
      });
      await signIn(email, password);
      onSignedUp();
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="email" label="E-mail">
        {(control) => (
          <Input
            {...control}
            type="email"
            autoComplete="username"
            autoFocus={!invitation}
            readOnly={invitation !== undefined}
          />
        )}
      </FormField>
      <FormField form={form} name="password" label="Password" hint="At least 8 characters.">
        {(control) => (
          <Input {...control} type="password" autoComplete="new-password" autoFocus={invitation !== undefined} />
        )}
      </FormField>
      {!invitation && (
        <FormField form={form} name="organization_name" label="Organization" optional hint={<OwnAddress form={form} />}>
          {(control) => <Input {...control} value={control.value ?? ""} autoComplete="organization" />}
        </FormField>
      )}
      {setupToken && (
        <FormField
          form={form}
          name="setup_token"
          label="Setup token"
          hint="The SETUP_TOKEN with which this installation was started."
        >
          {(control) => <Input {...control} value={control.value ?? ""} type="password" autoComplete="off" />}
        </FormField>
      )}
      <SubmitButton form={form} className="w-full">
        {invitation ? `Join ${invitation.organization.name}` : "Create account"}
      </SubmitButton>
    </Form>
  );
}
