import { signIn as signInByCredentials } from "next-auth/react";

/**
 * Starts a session with e-mail and password; false when they do not match an account. Throws when the server is
 * unreachable.
 */
export async function signIn(email: string, password: string): Promise<boolean> {
  const result = await signInByCredentials("credentials", { email, password, redirect: false });
  if (result?.error && result.error !== "CredentialsSignin") throw new Error(result.error);
  return result?.ok === true && !result.error;
}
