"use client";

import { useState } from "react";
import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useTRPCClient } from "@/components/trpc/client";
import { RequestReset } from "@/domain/organizations/schema";

/** Asks for a mail with a link to set a new password. Says the same whether or not there is such an account. */
export function ForgotPasswordForm() {
  const client = useTRPCClient();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useApiForm({
    schema: RequestReset,
    defaultValues: { email: "" },
    onSubmit: async ({ email }) => {
      await client.account.requestPasswordReset.mutate({ email });
      setSentTo(email);
    },
  });
  if (sentTo !== null) {
    return (
      <p className="text-body" role="status">
        If {sentTo} has an account, a mail with a link is on its way. The link works for 30 minutes.
      </p>
    );
  }
  return (
    <Form form={form}>
      <FormField form={form} name="email" label="E-mail">
        {(control) => <Input {...control} type="email" autoComplete="username" autoFocus />}
      </FormField>
      <SubmitButton form={form} className="w-full">
        Send the link
      </SubmitButton>
    </Form>
  );
}
