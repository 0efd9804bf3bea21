import { z } from "zod";
import { isLoopback } from "@/server/platform/loopback-host";

/** The settings of signing in by OpenID Connect. */

/** What a person becomes in the organization that they join: a role of theirs, a viewer, or its founder. */
export const grants = ["owner", "admin", "member", "viewer"] as const;
export type Grant = (typeof grants)[number];

/** `a=b,c=d` as a map. A key may contain `=`. */
const pairs = <Value extends string>(key: RegExp, value: z.ZodType<Value>, example: string) =>
  z.string().transform((text, context) => {
    const map = new Map<string, Value>();
    for (const part of text.split(",").map((each) => each.trim())) {
      const at = part.lastIndexOf("=");
      const [name, assigned] = [part.slice(0, at).trim(), value.safeParse(part.slice(at + 1).trim())];
      if (at > 0 && key.test(name) && assigned.success && !map.has(name)) map.set(name, assigned.data);
      else context.addIssue({ code: "custom", message: `"${part}" must look like ${example}, once each` });
    }
    return map;
  });

const issuer = z.string().refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const url = new URL(value);
    const isSecure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
    return isSecure && url.search === "" && url.hash === "";
  },
  { message: "must look like https://login.example.com" },
);

const slug = z.string().regex(/^[a-z0-9-]{1,100}$/);

export const oidcVariables = {
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().max(255).optional(),
  OIDC_CLIENT_SECRET: z.string().max(4_096).optional(),
  /** What the button names: "Sign in with …". */
  OIDC_NAME: z.string().max(60).default("single sign-on"),
  /** Domains of e-mail addresses, in lower case, each with the slug of an organization. */
  OIDC_DOMAINS: pairs(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, slug, "example.com=acme").optional(),
  OIDC_ROLE_CLAIM: z.string().max(255).optional(),
  /** By the values of that claim. */
  OIDC_ROLES: pairs(/^[^,]{1,255}$/, z.enum(grants), "robot-admins=admin").default(
    new Map<string, Grant>([
      ["admin", "admin"],
      ["member", "member"],
      ["viewer", "viewer"],
    ]),
  ),
};

const Given = z.object(oidcVariables);
export type OidcVariables = z.output<typeof Given>;

/** The OpenID Connect issuer whose people may sign in. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  /** The organization's slug by the domain of the address. */
  domains: ReadonlyMap<string, string>;
  /** Undefined: everybody becomes a member. */
  roleClaim: string | undefined;
  /** What a value of that claim makes of a person. */
  roles: ReadonlyMap<string, Grant>;
}

/** The settings together, or the errors of an incomplete set; undefined without an issuer. */
export function combineOidc(given: OidcVariables): OidcSettings | undefined | { faults: string[] } {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_DOMAINS } = given;
  if (OIDC_ISSUER === undefined) return undefined;
  if (OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined || OIDC_DOMAINS === undefined) {
    const missing = Object.entries({ OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_DOMAINS });
    return {
      faults: missing.filter(([, value]) => value === undefined).map(([name]) => `${name}: is needed with OIDC_ISSUER`),
    };
  }
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    name: given.OIDC_NAME,
    domains: OIDC_DOMAINS,
    roleClaim: given.OIDC_ROLE_CLAIM,
    roles: given.OIDC_ROLES,
  };
}
