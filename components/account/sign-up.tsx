"use client";

import { SignUpForm } from "./sign-up-form";

/** Signs up and goes to `next`, a path of this site. */
export const SignUp = ({ next, setupToken }: { next: string; setupToken: boolean }) => (
  <SignUpForm onSignedUp={() => location.assign(next)} setupToken={setupToken} />
);
