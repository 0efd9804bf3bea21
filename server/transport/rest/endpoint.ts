import type { z } from "zod";
import type { Permission, Role } from "@/domain/permissions";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Which window counts a request: the caller's own (default), the sign-up window of the address, or none. */
export type RateLimitKind = "default" | "signup" | "inference";

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;
type Result<S> = S extends z.ZodType ? z.input<S> : void;

/** What a handler of a list returns; the pipeline turns its cursors into URLs that carry the request's filters. */
interface Call<C, P, Q, B> {
  ctx: C;
  params: Output<P>;
  query: Output<Q>;
  body: Output<B>;
  /** The origin by which this caller reaches us: what makes an absolute URL of a path. */
  publicUrl: string;
  /** Answers with another status of `alternatives` than the usual one. */
  setStatus: (status: number) => void;
}

interface Declaration<P, Q, B, R> {
  method: Method;
  /** Below /api/v1, with its trailing slash; parameters as `{uid}`. Served without the slash too. */
  path: `/${string}`;
  /** Other paths that answer the same. */
  aliases?: readonly `/${string}`[];
  /** Names the operation in the OpenAPI document and in tests: `devices.list`. */
  id: string;
  summary: string;
  description?: string;
  /** Any one of these is enough. */
  permission: readonly Permission[];
  /** The least role that may call it, where a role matters. */
  role?: Role;
  rateLimit?: RateLimitKind;
  /** Path parameters (each a plain string schema); a value that does not match is a 404. */
  params?: P;
  /** Filters and body, as they are on the wire. */
  query?: Q;
  body?: B;
  /**
   * What answers (400) a body that its schema refuses, where bodies are messages of a protocol with words of its own
   * for that; null leaves it to the usual answer.
   */
  malformed?: (document: unknown) => Record<string, unknown> | null;
  /** Largest body, in bytes. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Other names a field may arrive under: `{ device: "device_id" }`. */
  renames?: Readonly<Record<string, string>>;
  response?: R;
  /** Of the usual answer: 200, 201, 202 or 204. */
  status?: 200 | 201 | 202 | 204;
  /** Other answers `setStatus` may choose. */
  alternatives?: readonly (200 | 201 | 202)[];
  /**
   * Throws `notFound()` when the object named by the path does not exist. Called only when the input is invalid,
   * because a missing object takes precedence over bad fields.
   */
  exists?: (ctx: Ctx, params: Output<P>) => Promise<unknown>;
}

interface Authenticated<P, Q, B, R> extends Declaration<P, Q, B, R> {
  anonymous?: false;
  handler: (call: Call<Ctx, P, Q, B>) => Promise<Result<R>>;
}
interface Anonymous<P, Q, B, R> extends Declaration<P, Q, B, R> {
  /** No key needed. */
  anonymous: true;
  handler: (call: Call<AnonymousCtx, P, Q, B>) => Promise<Result<R>>;
}

/** An endpoint with its types erased: what the registry holds. */
export interface Endpoint extends Declaration<
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined
> {
  anonymous: boolean;
  status: 200 | 201 | 202 | 204;
  invoke: (call: {
    ctx: Ctx | AnonymousCtx;
    params: unknown;
    query: unknown;
    body: unknown;
    publicUrl: string;
    setStatus: (status: number) => void;
  }) => Promise<unknown>;
}

/**
 * Declares one operation of the REST API, as data. Routing, validation, authentication, limits, the OpenAPI document,
 * the docs page and the contract test all derive from it. The handler stays a few lines: it calls one verb of the
 * domain's service.
 */
export function endpoint<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
>(declaration: Authenticated<P, Q, B, R> | Anonymous<P, Q, B, R>): Endpoint {
  const { handler, anonymous = false, status = 200, exists, ...rest } = declaration;
  // The one place where the compiler's knowledge of P, Q, B and R ends: the pipeline parses by the same schemas it was
  // given.
  return {
    ...rest,
    anonymous,
    status,
    ...(exists && { exists: exists as Endpoint["exists"] }),
    invoke: handler as unknown as Endpoint["invoke"],
  };
}
