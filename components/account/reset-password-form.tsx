"use client";

import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { ResetPassword } from "@/domain/organizations/schema";

/** Sets a new password by the link of a mail, then leads to signing in with it. */
export function ResetPasswordForm({ token }: { token: string }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: ResetPassword.omit({ token: true }),
    defaultValues: { password: "" },
    onSubmit: async ({ password }) => {
      await client.account.resetPassword.mutate({ token, password });
      toast.success("Password changed");
      location.assign("/login");
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="password" label="New password" hint="At least 8 characters.">
        {(control) => <Input {...control} type="password" autoComplete="new-password" autoFocus />}
      </FormField>
      <SubmitButton form={form} className="w-full">
        Set password
      </SubmitButton>
    </Form>
  );
}
