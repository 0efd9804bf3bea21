"use client";

import { signOut } from "@/components/account/sign-out";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { useTRPCClient } from "@/components/trpc/client";
import { DeleteAccount as DeleteAccountInput } from "@/domain/organizations/schema";

/** Deletes one's own account after its address and password were typed. */
export function DeleteAccount({ email, disabledReason }: { email: string; disabledReason?: string | undefined }) {
  const button = (
    <Button variant="danger-quiet" disabledReason={disabledReason}>
      Delete account
    </Button>
  );
  if (disabledReason !== undefined) return button;
  return (
    <Dialog
      size="sm"
      trigger={button}
      title="Delete your account?"
      description="Your sessions, API keys and saved views are deleted immediately, and you leave every organization. What you made there stays, under your name. This cannot be undone."
    >
      <DeleteAccountForm email={email} />
    </Dialog>
  );
}

function DeleteAccountForm({ email }: { email: string }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: DeleteAccountInput,
    defaultValues: { email: "", password: "" },
    onSubmit: async (values) => {
      await client.account.delete.mutate(values);
      await signOut();
    },
  });
  return (
    <Form form={form}>
      <FormField
        form={form}
        name="email"
        label={
          <>
            Type <span className="font-mono font-semibold wrap-anywhere select-all">{email}</span> to confirm
          </>
        }
      >
        {(control) => <Input {...control} type="email" autoComplete="off" spellCheck={false} />}
      </FormField>
      <FormField form={form} name="password" label="Password">
        {(control) => <Input {...control} type="password" autoComplete="current-password" />}
      </FormField>
      <FormActions>
        <SubmitButton form={form} variant="danger">
          Delete account
        </SubmitButton>
      </FormActions>
    </Form>
  );
}
