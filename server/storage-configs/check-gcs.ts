import { createSign } from "node:crypto";
import { z } from "zod";
import { EgressError, sendOutbound } from "@/server/egress";
import { env } from "@/server/env";
import type { FieldErrors } from "@/server/errors";

const tokenUri = "https://oauth2.googleapis.com/token";
const readScope = "https://www.googleapis.com/auth/devstorage.read_write";

/** Of a key file, what is used; accounts of other kinds would send our requests where their file says. */
const ServiceAccount = z.object({
  type: z.literal("service_account"),
  client_email: z.email(),
  private_key: z.string().startsWith("-----BEGIN"),
  token_uri: z.literal(tokenUri).optional(),
});
type ServiceAccount = z.output<typeof ServiceAccount>;

const field = "gc_storage_auth_json_content";

/** The service account of a key file; null for anything else. */
export function readServiceAccount(content: string): ServiceAccount | null {
  try {
    const parsed = ServiceAccount.safeParse(JSON.parse(content));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token request as Google's OAuth takes it (RFC 7523), signed with the account's key. */
function assertion({ client_email, private_key }: ServiceAccount): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: client_email, scope: readScope, aud: tokenUri, iat: now, exp: now + 600 };
  const content = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  return `${content}.${createSign("RSA-SHA256").update(content).sign(private_key, "base64url")}`;
}

/** Reaches a bucket of Google Cloud Storage: what is wrong with which field, or null when it can be listed. */
export async function checkGcs(target: { bucket: string; prefix: string | null; content: string }): Promise<FieldErrors | null> {
  const account = readServiceAccount(target.content);
  if (!account) return { [field]: ["Give the JSON key of a service account."] };
  let jwt: string;
  try {
    jwt = assertion(account);
  } catch {
    return { [field]: ["The private key cannot be read."] };
  }
  try {
    const token = await sendOutbound({
      url: env.GCS_ENDPOINT ? `${env.GCS_ENDPOINT}/token` : tokenUri,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: jwt }).toString(),
    });
    if (token.status !== 200) return { [field]: ["Google does not accept this key."] };
    const { access_token } = z.object({ access_token: z.string() }).parse(JSON.parse(token.body));
    const query = new URLSearchParams({ maxResults: "1", fields: "kind", ...(target.prefix && { prefix: target.prefix }) });
    const base = env.GCS_ENDPOINT ?? "https://storage.googleapis.com";
    const { status } = await sendOutbound({
      url: `${base}/storage/v1/b/${encodeURIComponent(target.bucket)}/o?${query}`,
      method: "GET",
      headers: { authorization: `Bearer ${access_token}` },
    });
    if (status === 200) return null;
    if (status === 404) return { gc_storage_bucket_name: ["There is no such bucket."] };
    if (status === 401 || status === 403) return { [field]: ["This service account may not list the bucket."] };
    return { gc_storage_bucket_name: [`The store refused the bucket (${status}).`] };
  } catch (error) {
    const why = error instanceof EgressError ? error.message : "it did not answer as Google's does";
    return { gc_storage_bucket_name: [`The bucket could not be reached: ${why}.`] };
  }
}
