"use client";

import { useMutation } from "@tanstack/react-query";
import { Button, ButtonLink } from "@/components/kit/button";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { useTRPC } from "@/components/trpc/client";

/** Confirms an address when the person presses the button: programs that open links in mails must not do it. */
export function VerifyEmail({ token }: { token: string }) {
  const trpc = useTRPC();
  const verify = useMutation(trpc.account.verifyEmail.mutationOptions());
  if (verify.isSuccess) {
    return (
      <div className="flex flex-col gap-3">
        <p className="text-body" role="status">
          Your address is confirmed.
        </p>
        <ButtonLink variant="primary" href="/">
          Continue
        </ButtonLink>
      </div>
    );
  }
  const failure = verify.error && readFailure(verify.error);
  return (
    <div className="flex flex-col gap-3">
      {failure && <FormError>{failure.issues[0]?.message ?? failure.detail}</FormError>}
      <Button variant="primary" busy={verify.isPending} onClick={() => verify.mutate({ token })}>
        Confirm the address
      </Button>
    </div>
  );
}
