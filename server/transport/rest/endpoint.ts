import type { z } from "zod";
import type { Access, Changes } from "@/domain/permissions";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import type { Concurrency } from "@/server/transport/rest/concurrency-limit";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The rate limit of an operation: the caller's own (default), or that of sign-up or inference. */
export type RateLimitKind = "default" | "signup" | "inference";

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;
type Result<S> = S extends z.ZodType ? z.input<S> : void;

/** What a call has of the request that makes it. */
export interface CallOrigin {
  /** The origin that this caller uses, for absolute URLs. */
  publicUrl: string;
  /** Aborted when the caller has gone before the response. */
  readonly signal: AbortSignal;
}

/** The argument of a handler. A list's handler returns cursors, which the router turns into URLs with all filters. */
interface Call<C, P, Q, B> extends CallOrigin {
  ctx: C;
  params: Output<P>;
  query: Output<Q>;
  body: Output<B>;
  /** Responds with a status of `alternatives` instead of the default one. */
  setStatus: (status: number) => void;
}

/**
 * Throws `notFound()` when the object named by the path does not exist, and `forbidden()` when the caller may not
 * change it, or not the members that were `sent`.
 */
export type ExistsCheck<P> = (ctx: Ctx, params: Output<P>, sent: ReadonlySet<string>) => Promise<unknown>;

interface Declaration<P, Q, B, R> {
  method: Method;
  /** Below /api/v1, with its trailing slash; parameters as `{uid}`. Served without the slash too. */
  path: `/${string}`;
  /** The path as it is documented, where that one has no trailing slash. */
  documentedPath?: `/${string}`;
  /** Other paths of the same operation. */
  aliases?: readonly `/${string}`[];
  /** Identifies the operation in the OpenAPI document and in tests: `devices.list`. */
  id: string;
  summary: string;
  description?: string;
  rateLimit?: RateLimitKind;
  /** Path parameters (each a plain string schema); a value that does not match is a 404. */
  params?: P;
  /** Filters and body in their wire format. */
  query?: Q;
  body?: B;
  /**
   * Creates the 400 response to an invalid body for a protocol with its own error format; null for the default
   * response.
   */
  malformed?: (document: unknown) => Record<string, unknown> | null;
  /** Maximum size of the body in bytes. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Also accepts API keys as `Authorization: Bearer`, because hosts of models send nothing else. */
  bearerKeys?: boolean;
  /** Aliases of fields: `{ device: "device_id" }`. */
  renames?: Readonly<Record<string, string>>;
  response?: R;
  /** The default status. */
  status?: 200 | 201 | 202 | 204;
  /** Whether only pages on which people draw or review use it, so that models get no tool for it. */
  leased?: boolean;
  /** Whether clients send it all the time, so that the log has few of those that succeed. */
  frequent?: boolean;
  /** What a process works on at a time; more is refused (503) before the caller is identified. Default: no limit. */
  concurrency?: Concurrency;
  /** Other statuses that `setStatus` may choose. */
  alternatives?: readonly (200 | 201 | 202 | 204)[];
  /** Called only for invalid input, over which what it throws takes precedence. */
  exists?: ExistsCheck<P>;
}

interface Restriction extends Omit<Access, "changes"> {
  /** Default: nothing for GET, else data of the organization. */
  changes?: Changes;
}

interface Authenticated<P, Q, B, R> extends Declaration<P, Q, B, R>, Restriction {
  anonymous?: false;
  /** Null only after `setStatus(204)`. */
  handler: (call: Call<Ctx, P, Q, B>) => Promise<Result<R> | null>;
}
interface Anonymous<P, Q, B, R> extends Declaration<P, Q, B, R> {
  /** No key needed. */
  anonymous: true;
  /**
   * Throws `forbidden()` when no document at all would be accepted, or not the one that was sent: first called without
   * one before the body is read, and again only for invalid input, over which it takes precedence.
   */
  admits?: Admits;
  handler: (call: Call<AnonymousCtx, P, Q, B>) => Promise<Result<R>>;
}

type Admits = (ctx: AnonymousCtx, document?: unknown) => Promise<void>;

interface ErasedCall extends CallOrigin {
  ctx: Ctx | AnonymousCtx;
  params: unknown;
  query: unknown;
  body: unknown;
  setStatus: (status: number) => void;
}

/** An endpoint with its types erased, as stored in the registry. */
export interface Endpoint extends Declaration<
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined
> {
  /** Null where no key is needed. */
  access: Access | null;
  /** Whether it creates something, so that repeating it needs an Idempotency-Key to be safe. */
  creates: boolean;
  status: 200 | 201 | 202 | 204;
  admits?: Admits;
  invoke: (call: ErasedCall) => Promise<unknown>;
}

/**
 * Declares one operation of the REST API as data. Routing, validation, authentication, limits, the OpenAPI document,
 * the docs page and the contract test are derived from it. The handler calls one function of the feature's service.
 */
export function endpoint<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
>(declaration: Authenticated<P, Q, B, R> | Anonymous<P, Q, B, R>): Endpoint {
  const { handler, status = 200, exists, ...rest } = declaration;
  // P, Q, B and R are erased only here: the router parses with the schemas of the same declaration.
  return {
    ...rest,
    access: rest.anonymous ? null : getAccess(rest),
    creates: rest.method === "POST" && (status === 201 || status === 202 || !!rest.alternatives?.includes(201)),
    status,
    ...(exists && { exists: exists as Endpoint["exists"] }),
    invoke: handler as unknown as Endpoint["invoke"],
  };
}

const getAccess = ({ method, permission, scopesToo, role, changes }: Restriction & { method: Method }): Access => ({
  permission,
  scopesToo,
  role,
  changes: changes ?? (method === "GET" ? "nothing" : "organization"),
});
