"use client";

import { Button } from "@/components/kit/button";
import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { SecondFactorCode } from "@/domain/organizations/second-factor";
import { signInByCode } from "./sign-in";
import { signOut } from "./sign-out";

/** The second step of signing in. */
export function SecondFactorForm({ next }: { next: string }) {
  const form = useApiForm({
    schema: SecondFactorCode,
    defaultValues: { code: "" },
    onSubmit: async ({ code }) => {
      if (await signInByCode(code)) location.assign(next);
      else form.setError("code", { message: "The code is not right, or was used already." }, { shouldFocus: true });
    },
  });
  return (
    <Form form={form}>
      <FormField
        form={form}
        name="code"
        label="Code"
        hint="From your authenticator app, or one of your recovery codes."
      >
        {(control) => <Input {...control} mono autoComplete="one-time-code" autoFocus />}
      </FormField>
      <SubmitButton form={form} className="w-full">
        Sign in
      </SubmitButton>
      <Button
        variant="ghost"
        className="w-full"
        onClick={() => void signOut(`/login?next=${encodeURIComponent(next)}`)}
      >
        Use another account
      </Button>
    </Form>
  );
}
