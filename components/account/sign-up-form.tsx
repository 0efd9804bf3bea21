"use client";

import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useTRPCClient } from "@/components/trpc/client";
import { text } from "@/domain/fields";
import { SignUp } from "@/domain/organizations/schema";
import { signIn } from "./sign-in";

/** A form sends empty text where the API expects the member to be absent. */
const SignUpFields = SignUp.extend({ organization_name: text(255).optional() });

export function SignUpForm({ next }: { next: string }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: SignUpFields,
    defaultValues: { email: "", password: "", organization_name: "" },
    onSubmit: async ({ organization_name: name, ...account }) => {
      const named = name?.trim() ? { organization_name: name.trim() } : {};
      await client.account.signUp.mutate({ ...account, ...named });
      await signIn(account.email, account.password);
      location.assign(next);
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="email" label="E-mail">
        {(control) => <Input {...control} type="email" autoComplete="email" autoFocus />}
      </FormField>
      <FormField form={form} name="password" label="Password" hint="At least 8 characters.">
        {(control) => <Input {...control} type="password" autoComplete="new-password" />}
      </FormField>
      <FormField
        form={form}
        name="organization_name"
        label="Organization"
        optional
        hint="The name of your company or team."
      >
        {(control) => <Input {...control} value={control.value ?? ""} autoComplete="organization" />}
      </FormField>
      <SubmitButton form={form} className="w-full">
        Create account
      </SubmitButton>
    </Form>
  );
}
