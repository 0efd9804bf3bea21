import { signIn as startSignIn } from "next-auth/react";

/** Runs a step of signing in; false when what was given is wrong. Throws when the server refuses or is unreachable. */
async function runStep(step: string, given: Record<string, string>): Promise<boolean> {
  const result = await startSignIn(step, { ...given, redirect: false });
  if (result?.error && result.error !== "CredentialsSignin") throw new Error(result.error);
  return result?.ok === true && !result.error;
}

/**
 * Signs in with e-mail and password; false when they do not match an account. An account with a second factor has no
 * session then: the next page asks for the code.
 */
export const signIn = (email: string, password: string): Promise<boolean> =>
  runStep("credentials", { email, password });

/** Completes a sign-in that awaits its second factor; false for a wrong code. */
export const signInByCode = (code: string): Promise<boolean> => runStep("second-factor", { code });

/** Leaves for the issuer's sign-in page, which leads back to `next`. The name is that of the provider on the server. */
export const signInByIssuer = async (next: string): Promise<void> =>
  void (await startSignIn("oidc", { callbackUrl: next }));
