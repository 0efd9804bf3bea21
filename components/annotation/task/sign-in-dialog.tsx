"use client";

import { useEffect, useRef, useState, type FormEvent } from "react";
import { signIn } from "@/components/account/sign-in";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { useLatest } from "@/components/kit/latest";
import { readFailure } from "@/components/product/failure";

interface SignInDialogProps {
  username: string;
  /** Somebody may have signed in, here or in another tab. */
  onSignedIn: () => void;
}

/** Signing in over the stage, so that the page with its work stays. */
export function SignInDialog({ username, onSignedIn }: SignInDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const check = useLatest(onSignedIn);
  // After signing in in another tab.
  useEffect(() => {
    const onFocus = () => check();
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, [check]);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    try {
      const isRight = await signIn(String(given.get("email")), String(given.get("password")));
      setError(isRight ? undefined : "E-mail address and password do not match an account.");
      if (isRight) check();
    } catch (failure) {
      setError(readFailure(failure).detail);
    }
    setBusy(false);
  };
  return (
    <Dialog
      open
      locked
      size="sm"
      title="Sign in again"
      description={`Your session is over. Your work is kept here for ${username} and is sent as soon as you are signed in.`}
      footer={
        <>
          <a
            href="/login"
            target="_blank"
            rel="noreferrer"
            className="mr-auto text-table text-accent-text underline underline-offset-2"
          >
            Sign in another way
          </a>
          <Button variant="primary" busy={isBusy} onClick={() => form.current?.requestSubmit()}>
            Sign in
          </Button>
        </>
      }
    >
      <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <Field label="E-mail">
          <Input name="email" type="email" autoComplete="email" required />
        </Field>
        <Field label="Password" error={error}>
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
    </Dialog>
  );
}
