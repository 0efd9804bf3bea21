import { initTRPC, TRPCError } from "@trpc/server";
import { z, ZodError } from "zod";
import { issueMessage } from "@/domain/field-messages";
import { toIssues, type Issue } from "@/domain/issues";
import { hasRole, type Role } from "@/domain/permissions";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { limitIssues, errorTable, isServiceError, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { countRequest } from "@/server/platform/rate-limit/rate-limit";
import { findOutage, unavailable, withoutStack } from "@/server/platform/unavailable";
import { createSessionContext, readSession, type Session } from "@/server/transport/session/session";

const log = logFor("trpc");

export interface TrpcContext {
  session: Session | null;
  ctx: Ctx | null;
  anonymous: AnonymousCtx;
}

/** The context of a request: its session, checked against the database, and where it came from. */
export async function createContext(headers: Headers): Promise<TrpcContext> {
  const origin = { ip: headers.get("x-muster-client"), requestId: headers.get("x-request-id") };
  const session = await readSession(headers.get("cookie"));
  return { session, ctx: session && createSessionContext(session, origin), anonymous: { db: prisma, ...origin } };
}

/** What a form needs of a failure: what is wrong where, the text, and the request to name to support. */
interface ErrorDetails {
  detail: string;
  issues: Issue[] | null;
  retry_after_seconds: number | null;
  request_id: string | null;
}

/** What `{ uid, change }` changes is named as when the resource is made. */
const ofResource = ({ path, message }: Issue): Issue => ({
  path: path[0] === "change" && path.length > 1 ? path.slice(1) : path,
  message,
});

function toErrorDetails(error: TRPCError, requestId: string | null): ErrorDetails {
  const base = { issues: null, retry_after_seconds: null, request_id: requestId };
  if (isServiceError(error.cause)) {
    const { options, code } = error.cause;
    return {
      detail: options.detail ?? errorTable[code].detail,
      issues: options.issues ? limitIssues(options.issues) : null,
      retry_after_seconds: options.retryAfterSeconds ?? null,
      request_id: requestId,
    };
  }
  if (error.cause instanceof ZodError) {
    return {
      ...base,
      detail: errorTable.invalid.detail,
      issues: limitIssues(toIssues(error.cause.issues).map(ofResource)),
    };
  }
  return { ...base, detail: error.code === "INTERNAL_SERVER_ERROR" ? errorTable.internal.detail : error.message };
}

const t = initTRPC.context<TrpcContext>().create({
  errorFormatter: ({ shape, error, ctx }) => ({
    ...shape,
    message: toErrorDetails(error, null).detail,
    data: {
      code: shape.data.code,
      httpStatus: shape.data.httpStatus,
      ...toErrorDetails(error, ctx?.anonymous.requestId ?? null),
    },
  }),
});

// The same wording as the REST door's, for every schema that tRPC itself parses.
z.config({ customError: issueMessage });

/** What a service refuses as tRPC tells it; every other error as it is. */
export function toTrpcError(error: unknown): unknown {
  const cause = unavailable(error) ?? error;
  if (!isServiceError(cause)) return error;
  const refused = new TRPCError({ code: errorTable[cause.code].trpc, message: cause.message, cause });
  return cause.code === "unavailable" ? withoutStack(refused) : refused;
}

/**
 * Maps what services throw to tRPC's codes; what they did not foresee is logged and told as a server error. A query
 * whose connection to the database was lost is made once more.
 */
const errors = t.middleware(async ({ next, path, type, ctx }) => {
  let result = await next();
  if (!result.ok && type === "query" && findOutage(result.error.cause) === "lost") result = await next();
  if (result.ok) return result;
  const { cause } = result.error;
  const refused = toTrpcError(cause);
  if (refused !== cause) throw refused;
  if (result.error.code === "INTERNAL_SERVER_ERROR") {
    log.error({ err: cause ?? result.error, path, requestId: ctx.anonymous.requestId }, "procedure failed");
  }
  return result;
});

const limited = t.middleware(async ({ next, ctx }) => {
  const verdict = await countRequest("trpc", ctx.session?.userId ?? ctx.anonymous.ip ?? "unknown");
  if (verdict.retryAfterSeconds === null) return next();
  const seconds = verdict.retryAfterSeconds;
  throw new ServiceError("throttled", {
    detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`,
    retryAfterSeconds: seconds,
  });
});

/** For the adapter of the route: the answer's `Retry-After`, where one of its calls has one. */
export function retryAfterHeader({ errors }: { errors: TRPCError[] }): { headers?: Record<string, string> } {
  const seconds = errors.map(({ cause }) => (isServiceError(cause) ? (cause.options.retryAfterSeconds ?? 0) : 0));
  const longest = Math.max(0, ...seconds);
  return longest > 0 ? { headers: { "retry-after": String(longest) } } : {};
}

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** For everyone: sign-up, reading an invitation. */
export const anonymousProcedure = t.procedure.use(errors).use(limited);

/** For those signed in; `ctx.ctx` is the first argument of every verb. */
export const procedure = anonymousProcedure.use(({ ctx, next }) => {
  if (!ctx.session || !ctx.ctx) throw new ServiceError("unauthenticated");
  return next({ ctx: { ...ctx, session: ctx.session, ctx: ctx.ctx } });
});

/** For those whose role in the organization is at least `role`. */
export const procedureFor = (role: Role) =>
  procedure.use(({ ctx, next }) => {
    if (!hasRole(ctx.ctx.permissions, role)) throw new ServiceError("forbidden");
    return next();
  });
