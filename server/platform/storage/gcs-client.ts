import { createHash, createPrivateKey, createSign, type KeyObject } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { EgressError, streamOutbound, type OutboundStream } from "@/server/platform/http-client/http-client";
import { limitBytes, isTransientStatus, maxSeconds, maxBodyBytes } from "@/server/platform/storage/bucket-store";
import { observeBucketRequest, type BucketOperation } from "@/server/platform/storage/observed-request";
import { percentEncoded } from "@/server/platform/storage/percent";

const tokenUri = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/devstorage.read_write";
/** A token is not used in its last minute, because the request could arrive after its expiry. */
const renewBeforeSeconds = 60;
const firstPauseMs = 200;

/** The reason shown for a bucket whose server sends unexpected responses. */
export const unexpectedResponse = "it did not answer as Google's does";

/** The used members of a key file. Accounts of other types are refused: their file chooses where requests are sent. */
const ServiceAccount = z.object({
  type: z.literal("service_account"),
  client_email: z.email(),
  private_key: z.string().startsWith("-----BEGIN"),
  token_uri: z.literal(tokenUri).optional(),
});
export type ServiceAccount = z.output<typeof ServiceAccount>;

/** The service account of a key file; null for anything else. */
export function readServiceAccount(content: string): ServiceAccount | null {
  try {
    const parsed = ServiceAccount.safeParse(JSON.parse(content));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const GrantedToken = z.object({ access_token: z.string().min(1), expires_in: z.number().default(3_600) });

interface Token {
  value: string;
  /** On the clock of `performance.now()`. */
  until: number;
}

/** The account's key cannot be used: it is malformed, or Google does not accept it (any more). */
export class KeyRefused extends Error {}

export interface GcsRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

/** Google's own address, or the operator's. */
const endpoint = (): string => env.GCS_ENDPOINT?.replace(/\/+$/, "") ?? "https://storage.googleapis.com";

/** The URL of the objects of a bucket in the JSON API; uploads have `/upload` before it. */
export const objectsUrl = (bucket: string, query: Readonly<Record<string, string>>, upload = ""): string =>
  `${endpoint()}${upload}/storage/v1/b/${encodeURIComponent(bucket)}/o?${new URLSearchParams(query)}`;

/** An object's path in the XML API and in signed URLs. */
const formatPath = (bucket: string, name: string): string =>
  `/${bucket}/${name.split("/").map(percentEncoded).join("/")}`;

/** An object's URL in the XML API, for requests with a token. */
export const objectUrl = (bucket: string, name: string): string => `${endpoint()}${formatPath(bucket, name)}`;

/** Reads a response's body, so that its connection can be reused; resolves to "" when it is incomplete or too large. */
export const readText = ({ body }: OutboundStream): Promise<string> =>
  text(limitBytes(body, maxBodyBytes)).catch(() => "");

const operations = { GET: "read", HEAD: "look", PUT: "write", POST: "write", DELETE: "delete" } as const;

function findOperation({ method, url }: GcsRequest): BucketOperation {
  const { pathname } = new URL(url);
  if (method === "GET" && /^\/storage\/v1\/b\/[^/]+\/o$/.test(pathname)) return "list";
  return pathname.endsWith("/token") && method === "POST" ? "sign in" : operations[method];
}

export const isBroken = (error: unknown): boolean =>
  error instanceof EgressError && ["connect", "timeout", "protocol"].includes(error.fault);

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Sends requests to Google Cloud Storage with a service account. */
export class GcsClient {
  private key: KeyObject | null = null;
  private granted: Promise<Token> | null = null;

  constructor(
    private readonly account: ServiceAccount,
    /** How often a repeatable request is sent at most. */
    readonly attempts = 3,
  ) {}

  /** RSA with SHA-256. Throws a KeyRefused when the key cannot be read. */
  private signature(content: string, encoding: "hex" | "base64url"): string {
    try {
      this.key ??= createPrivateKey(this.account.private_key);
      return createSign("RSA-SHA256").update(content).sign(this.key, encoding);
    } catch {
      throw new KeyRefused("The private key cannot be read.");
    }
  }

  /** The signed assertion of a token request (RFC 7523). */
  private assertion(): string {
    const now = Math.floor(databaseMs() / 1_000);
    const claims = { iss: this.account.client_email, scope, aud: tokenUri, iat: now, exp: now + 600 };
    const content = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
    return `${content}.${this.signature(content, "base64url")}`;
  }

  private async grant(): Promise<Token> {
    const form = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: this.assertion(),
    });
    const response = await this.repeated({
      method: "POST",
      url: env.GCS_ENDPOINT ? `${endpoint()}/token` : tokenUri,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(form.toString()),
    });
    const body = await readText(response);
    if (isTransientStatus(response.status)) throw new EgressError("timeout", `no token was given (${response.status})`);
    if (response.status !== 200) throw new KeyRefused("Google does not accept this key.");
    try {
      const { access_token, expires_in } = GrantedToken.parse(JSON.parse(body));
      return { value: access_token, until: performance.now() + Math.max(1, expires_in - renewBeforeSeconds) * 1_000 };
    } catch (error) {
      throw new EgressError("protocol", unexpectedResponse, { cause: error });
    }
  }

  /** Returns a valid token other than `refused`. Concurrent callers share one token request. */
  private async token(refused?: Token): Promise<Token> {
    for (;;) {
      const granted = (this.granted ??= this.grant());
      const drop = () => {
        if (this.granted === granted) this.granted = null;
      };
      try {
        const token = await granted;
        if (token !== refused && performance.now() < token.until) return token;
      } catch (error) {
        drop();
        throw error;
      }
      drop();
    }
  }

  /** Sends a request once and without a token, for URLs that need none. Throws an EgressError. */
  once(request: GcsRequest): Promise<OutboundStream> {
    return observeBucketRequest({ store: "customer", operation: findOperation(request) }, () =>
      streamOutbound(request),
    );
  }

  /** Sends a repeatable request, and retries it while the connection fails or the store is busy. */
  async repeated(request: GcsRequest): Promise<OutboundStream> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= this.attempts;
      try {
        const response = await this.once(request);
        if (last || !isTransientStatus(response.status)) return response;
        await readText(response);
      } catch (error) {
        if (last || !isBroken(error)) throw error;
      }
      await this.pause(attempt);
    }
  }

  pause(attempt: number): Promise<void> {
    return pause(firstPauseMs * 2 ** (attempt - 1));
  }

  /**
   * Sends a repeatable request with the account's token. Resolves with any status; throws a KeyRefused when no token is
   * granted, and an EgressError when there is no response.
   */
  async send(request: GcsRequest): Promise<OutboundStream> {
    const sendWith = ({ value }: Token) =>
      this.repeated({ ...request, headers: { ...request.headers, authorization: `Bearer ${value}` } });
    const token = await this.token();
    const response = await sendWith(token);
    if (response.status !== 401) return response;
    // Tokens can be revoked before they expire.
    await readText(response);
    return sendWith(await this.token(token));
  }

  /**
   * A signed URL for one object, method and lifetime (V4 signing). The request must have exactly these `headers`, whose
   * names are in lower case. Throws a KeyRefused.
   */
  signedUrl(
    method: "GET" | "PUT",
    { bucket, name }: { bucket: string; name: string },
    seconds: number,
    {
      headers = {},
      query = {},
    }: { headers?: Readonly<Record<string, string>>; query?: Readonly<Record<string, string>> } = {},
  ): string {
    const path = formatPath(bucket, name);
    const date = databaseNow()
      .toISOString()
      .replace(/[-:]|\.\d+/g, "");
    const signedIn = `${date.slice(0, 8)}/auto/storage/goog4_request`;
    const signed: Readonly<Record<string, string>> = { ...headers, host: new URL(endpoint()).host };
    const names = Object.keys(signed).sort();
    const parameters = Object.entries({
      ...query,
      "X-Goog-Algorithm": "GOOG4-RSA-SHA256",
      "X-Goog-Credential": `${this.account.client_email}/${signedIn}`,
      "X-Goog-Date": date,
      "X-Goog-Expires": String(Math.min(seconds, maxSeconds)),
      "X-Goog-SignedHeaders": names.join(";"),
    })
      .map(([parameter, value]) => `${percentEncoded(parameter)}=${percentEncoded(value)}`)
      .sort()
      .join("&");
    const canonical = [
      method,
      path,
      parameters,
      ...names.map((each) => `${each}:${signed[each]}`),
      "",
      names.join(";"),
      "UNSIGNED-PAYLOAD",
    ];
    const digest = createHash("sha256").update(canonical.join("\n")).digest("hex");
    const signature = this.signature(["GOOG4-RSA-SHA256", date, signedIn, digest].join("\n"), "hex");
    return `${endpoint()}${path}?${parameters}&X-Goog-Signature=${signature}`;
  }
}
