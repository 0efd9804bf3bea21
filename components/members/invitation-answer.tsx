"use client";

import { useMutation } from "@tanstack/react-query";
import { signOut } from "@/components/account/sign-out";
import { SignUpForm } from "@/components/account/sign-up-form";
import { Button, ButtonLink } from "@/components/kit/button";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { openOrganization } from "@/components/shell/open-organization";
import { useTRPC } from "@/components/trpc/client";

export interface InvitationAnswerProps {
  token: string;
  email: string;
  organization: { slug: string; name: string };
  /** Whether the invited address has an account. */
  hasAccount: boolean;
  signUpClosed: boolean;
  /** E-mail address of the signed-in person, or null. */
  signedInAs: string | null;
}

/** Accepts an invitation as the person it was sent to; everyone else is shown how to sign in as that person. */
export function InvitationAnswer(props: InvitationAnswerProps) {
  const { token, email, organization, hasAccount, signUpClosed, signedInAs } = props;
  const trpc = useTRPC();
  const here = `/invite/${token}`;
  const accept = useMutation(
    trpc.invitations.accept.mutationOptions({
      onSuccess: () => openOrganization(organization.slug),
    }),
  );
  if (signedInAs === null && hasAccount) {
    return (
      <div className="flex flex-col gap-2">
        <ButtonLink variant="primary" href={`/login?next=${encodeURIComponent(here)}`}>
          Sign in to join
        </ButtonLink>
        <p className="text-table text-muted">Sign in as {email}.</p>
      </div>
    );
  }
  if (signedInAs === null) {
    return signUpClosed ? (
      <p className="text-body">Sign-up is closed. Ask those who run this installation for an account for {email}.</p>
    ) : (
      <SignUpForm onSignedUp={() => openOrganization(organization.slug)} invitation={{ token, email, organization }} />
    );
  }
  if (signedInAs.toLowerCase() !== email.toLowerCase()) {
    return (
      <div className="flex flex-col gap-3">
        <p className="text-body">
          You are signed in as {signedInAs}, but the invitation is for {email}.
        </p>
        <Button onClick={() => void signOut(here)}>Sign out and continue</Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {accept.error && <FormError>{readFailure(accept.error).detail}</FormError>}
      <Button variant="primary" busy={accept.isPending} onClick={() => accept.mutate({ token, invited_email: email })}>
        Join {organization.name}
      </Button>
    </div>
  );
}
