import type { OAuthConfig } from "next-auth/providers/oauth";
import type { IdentityClaims } from "@/server/platform/auth/identity-claims";
import type { OidcSettings } from "@/server/platform/oidc-settings";

/** The id of the provider, which is in the addresses of its sign-in. */
export const issuerProviderId = "oidc";

/** Values that an issuer asserts, as far as they are read. */
type Claims = Record<string, unknown>;

const timeoutMs = 10_000;

/** The library passes its own token sets, which have more than their type says. */
const hasClaims = <Tokens extends object>(tokens: Tokens): tokens is Tokens & { claims: () => Claims } =>
  "claims" in tokens && typeof tokens.claims === "function";

/** next-auth's provider for the configured issuer: code flow with PKCE, state and nonce. */
export const createIssuerProvider = (settings: OidcSettings): OAuthConfig<Claims> => ({
  id: issuerProviderId,
  name: settings.name,
  type: "oauth",
  wellKnown: `${settings.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
  issuer: settings.issuer,
  clientId: settings.clientId,
  clientSecret: settings.clientSecret,
  authorization: { params: { scope: "openid email profile" } },
  idToken: true,
  checks: ["pkce", "state", "nonce"],
  httpOptions: { timeout: timeoutMs },
  userinfo: {
    // Many issuers put only the subject into the ID token. Its claims are signed, so that they take precedence.
    request: async ({ client, tokens }) => {
      if (!hasClaims(tokens)) throw new Error("the issuer sent no ID token");
      const claims = tokens.claims();
      if (!client.issuer.metadata.userinfo_endpoint) return claims;
      const further = await client.userinfo(tokens.access_token ?? "");
      if (further.sub !== claims.sub) throw new Error("the user info is about another subject than the ID token");
      return { ...further, ...claims };
    },
  },
  profile: (claims) => ({ id: String(claims.sub), email: typeof claims.email === "string" ? claims.email : null }),
});

const readText = (value: unknown): string => (typeof value === "string" ? value : "");
const readList = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === "string");

/** Splits a full name where the issuer gives only that. */
function readNames(claims: Claims): { firstName: string; lastName: string } {
  const [first = "", ...rest] = readText(claims.name).split(" ");
  const isGiven = claims.given_name !== undefined || claims.family_name !== undefined;
  return isGiven
    ? { firstName: readText(claims.given_name), lastName: readText(claims.family_name) }
    : { firstName: first, lastName: rest.join(" ") };
}

/** What an issuer said, in our terms. `amr` says how the person authenticated (RFC 8176). */
export const readIdentity = (claims: Claims, settings: OidcSettings): IdentityClaims => ({
  issuer: readText(claims.iss),
  subject: readText(claims.sub),
  email: readText(claims.email),
  emailVerified: claims.email_verified === true,
  ...readNames(claims),
  roles: settings.roleClaim === undefined ? [] : readList(claims[settings.roleClaim]),
  withSecondFactor: readList(claims.amr).includes("mfa"),
});
