/** Why a person whom an OpenID Connect issuer vouches for cannot sign in, for the sign-in page. */
const signInRefusals = {
  unverified: "The address of this account is not confirmed there. Confirm it first, then sign in again.",
  domain: "Addresses of this domain cannot sign in this way.",
  organization: "The organization of this domain does not exist yet. Ask those who run this installation.",
  role: "This account has no role here. Ask those who manage your accounts.",
  disabled: "This account is disabled.",
  other_identity: "This address belongs to another account there. Ask those who run this installation.",
} as const;
export type SignInRefusal = keyof typeof signInRefusals;

/** What next-auth reports in the address of the sign-in page. */
const failures: Readonly<Record<string, string>> = {
  AccessDenied: "You were not signed in.",
  OAuthSignin: "The sign-in service cannot be reached. Try again in a minute.",
  OAuthCallback: "The sign-in was cancelled, took too long, or its response was not valid. Try again.",
  Callback: "The sign-in was cancelled, took too long, or its response was not valid. Try again.",
};

/** What the sign-in page says about `refused` or `error` in its address; undefined for anything else. */
export function explainSignInRefusal(refused: unknown, error: unknown): string | undefined {
  const isRefusal = (value: unknown): value is SignInRefusal =>
    typeof value === "string" && Object.hasOwn(signInRefusals, value);
  if (isRefusal(refused)) return signInRefusals[refused];
  return typeof error === "string" && Object.hasOwn(failures, error) ? failures[error] : undefined;
}
