"use client";

import Link from "next/link";
import { z } from "zod";
import { Input } from "@/components/kit/input";
import { Form, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { signIn } from "./sign-in";

const Credentials = z.object({
  email: z.string().min(1, { error: "Enter your e-mail address." }),
  password: z.string().min(1, { error: "Enter your password." }),
});

export function SignInForm({ next }: { next: string }) {
  const form = useApiForm({
    schema: Credentials,
    defaultValues: { email: "", password: "" },
    onSubmit: async ({ email, password }) => {
      if (await signIn(email, password)) location.assign(next);
      else form.setError("root", { message: "E-mail address and password do not match an account." });
    },
  });
  return (
    <Form form={form}>
      <FormField form={form} name="email" label="E-mail">
        {(control) => <Input {...control} type="email" autoComplete="email" autoFocus />}
      </FormField>
      <FormField form={form} name="password" label="Password">
        {(control) => <Input {...control} type="password" autoComplete="current-password" />}
      </FormField>
      <Link href="/forgot-password" className="self-start text-table text-accent-text underline underline-offset-2">
        Forgot your password?
      </Link>
      <SubmitButton form={form} className="w-full">
        Sign in
      </SubmitButton>
    </Form>
  );
}
