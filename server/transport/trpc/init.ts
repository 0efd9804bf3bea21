import { initTRPC, TRPCError } from "@trpc/server";
import { z, ZodError } from "zod";
import { issueMessage } from "@/domain/field-messages";
import { toIssues, type Issue } from "@/domain/issues";
import { mayCall, type Changes, type Role } from "@/domain/permissions";
import type { AnonymousCtx, Ctx, PersonCtx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import {
  errorTable,
  forbidden,
  isServiceError,
  limitIssues,
  ServiceError,
  type RefusalFacts,
} from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { noteRefusal } from "@/server/platform/observability/access-notes";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { currentScope } from "@/server/platform/request-scope";
import { findOutage, unavailable, withoutStack } from "@/server/platform/unavailable";
import { checkDocument } from "@/server/transport/rest/body";
import {
  createPersonContext,
  createSessionContext,
  hasOrganization,
  readSignedIn,
  type Session,
  type SignedIn,
} from "@/server/transport/session/session";

const log = logFor("trpc");

export interface TrpcContext {
  /** Null when signed out. */
  signedIn: SignedIn | null;
  /** Like `signedIn`, as the first argument of verbs about what is their own. */
  person: PersonCtx | null;
  /** Null also without an organization, as is `ctx`. */
  session: Session | null;
  ctx: Ctx | null;
  anonymous: AnonymousCtx;
  /** In place of a session: one that may do nothing in its organization but set up a second factor. */
  settingUp?: { session: Session; ctx: Ctx };
}

/** Creates the context of a request: its session, checked against the database, and its origin. */
export async function createContext(headers: Headers): Promise<TrpcContext> {
  const origin = { ip: headers.get("x-muster-client"), requestId: currentScope()?.requestId ?? null };
  const signedIn = await readSignedIn(headers.get("cookie"), { userAgent: headers.get("user-agent"), ip: origin.ip });
  return createSignedInContext(signedIn, origin);
}

/** The context of requests of this user; null for signed out. */
export function createSignedInContext(
  signedIn: SignedIn | Session | null,
  origin: { ip: string | null; requestId: string | null },
): TrpcContext {
  const inOrganization = hasOrganization(signedIn)
    ? { session: signedIn, ctx: createSessionContext(signedIn, origin) }
    : { session: null, ctx: null };
  return {
    signedIn,
    person: signedIn && createPersonContext(signedIn, origin),
    ...(inOrganization.session?.lacksSecondFactor
      ? { session: null, ctx: null, settingUp: inOrganization }
      : inOrganization),
    anonymous: { db: prisma, ...origin },
  };
}

/** The details of a failure for forms: the text, the issues, and the id of the request for support. */
interface ErrorDetails {
  detail: string;
  issues: Issue[] | null;
  retry_after_seconds: number | null;
  request_id: string | null;
  facts: RefusalFacts | null;
}

/** Gives an issue of `{ uid, change }` the path that it has when the resource is created. */
const toResourceIssue = ({ path, message }: Issue): Issue => ({
  path: path[0] === "change" && path.length > 1 ? path.slice(1) : path,
  message,
});

function toErrorDetails(error: TRPCError, requestId: string | null): ErrorDetails {
  const base = { issues: null, retry_after_seconds: null, request_id: requestId, facts: null };
  if (isServiceError(error.cause)) {
    const { options, code } = error.cause;
    return {
      detail: options.detail ?? errorTable[code].detail,
      issues: options.issues ? limitIssues(options.issues) : null,
      retry_after_seconds: options.retryAfterSeconds ?? null,
      request_id: requestId,
      facts: options.facts ?? null,
    };
  }
  if (error.cause instanceof ZodError) {
    return {
      ...base,
      detail: errorTable.invalid.detail,
      issues: limitIssues(toIssues(error.cause.issues).map(toResourceIssue)),
    };
  }
  return { ...base, detail: error.code === "INTERNAL_SERVER_ERROR" ? errorTable.internal.detail : error.message };
}

/** Who may call a procedure: the least role, and what it changes (default: nothing for a query, else `organization`). */
interface ProcedureAccess {
  role?: Role;
  changes?: Changes;
  /** Also those who lack the second factor that their organization requires. */
  settingUp?: true;
}

const t = initTRPC
  .context<TrpcContext>()
  .meta<ProcedureAccess>()
  .create({
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

// Schemas that tRPC itself parses get the same messages as in the REST transport.
z.config({ customError: issueMessage });

/** Converts a refusal to a TRPCError; returns every other error unchanged. */
export function toTrpcError(error: unknown): unknown {
  const cause = unavailable(error) ?? error;
  if (!isServiceError(cause)) return error;
  const refused = new TRPCError({ code: errorTable[cause.code].trpc, message: cause.message, cause });
  return cause.code === "unavailable" ? withoutStack(refused) : refused;
}

/**
 * Maps errors of services to tRPC's codes and logs unexpected ones, which become server errors. Retries a query once
 * when its database connection was lost.
 */
const errors = t.middleware(async ({ next, path, type, ctx }) => {
  let result = await next();
  if (!result.ok && type === "query" && findOutage(result.error.cause) === "lost") result = await next();
  if (result.ok) return result;
  const { cause } = result.error;
  const refused = toTrpcError(cause);
  const caller = ctx.ctx ?? ctx.settingUp?.ctx;
  if (caller && isServiceError(cause) && cause.code === "forbidden") noteRefusal(caller, path, path);
  if (refused !== cause) throw refused;
  if (result.error.code === "INTERNAL_SERVER_ERROR") {
    log.error({ err: cause ?? result.error, path, request_id: ctx.anonymous.requestId }, "procedure failed");
  }
  return result;
});

const limited = t.middleware(async ({ next, ctx }) => {
  const verdict = await countRequest("trpc", ctx.signedIn?.userId ?? ctx.anonymous.ip ?? "unknown");
  if (verdict.retryAfterSeconds === null) return next();
  throw throttled(verdict.retryAfterSeconds);
});

/** Refuses texts that no column can hold, as REST does, before any procedure parses its input. */
const checked = t.middleware(async ({ next, getRawInput }) => {
  const input = await getRawInput();
  checkDocument(input);
  return next();
});

/** For the adapter of the route: the `Retry-After` of a response, if one of its calls has one. */
export function retryAfterHeader({ errors }: { errors: TRPCError[] }): { headers?: Record<string, string> } {
  const seconds = errors.map(({ cause }) => (isServiceError(cause) ? (cause.options.retryAfterSeconds ?? 0) : 0));
  const max = Math.max(0, ...seconds);
  return max > 0 ? { headers: { "retry-after": String(max) } } : {};
}

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** For callers without a session: sign-up, reading an invitation. */
export const anonymousProcedure = t.procedure.use(errors).use(limited).use(checked);

const lacksSecondFactor = () => forbidden("This organization requires a second factor. Set one up first.");

/** For those signed in whose role allows it; `ctx.ctx` is the first argument of every verb. */
const authorized = anonymousProcedure.use(({ ctx, meta, type, next }) => {
  const { role = "owner", changes = type === "mutation" ? "organization" : "nothing", settingUp = false } = meta ?? {};
  if (!ctx.signedIn) throw new ServiceError("unauthenticated");
  if (ctx.settingUp && !settingUp) throw lacksSecondFactor();
  const { session, ctx: caller } = ctx.settingUp ?? ctx;
  if (!session || !caller) throw forbidden("You are in no organization.");
  if (!mayCall(caller.permissions, { permission: ["full"], role, changes })) throw new ServiceError("forbidden");
  return next({ ctx: { ...ctx, session, ctx: caller } });
});

export const memberProcedure = authorized.meta({ role: "member" });
/** For every member, also one who lacks the second factor that the organization requires: only what leads to one. */
export const setUpProcedure = authorized.meta({ role: "member", changes: "own", settingUp: true });
export const adminProcedure = authorized.meta({ role: "admin" });
export const ownerProcedure = authorized.meta({ role: "owner" });
/** For every member, read-only ones too: changes only what is the caller's own. */
export const ownProcedure = authorized.meta({ role: "member", changes: "own" });
/** For everybody who is signed in, also without an organization, about what is their own. */
export const personProcedure = anonymousProcedure.use(({ ctx, next }) => {
  if (!ctx.signedIn || !ctx.person) throw new ServiceError("unauthenticated");
  if (ctx.settingUp) throw lacksSecondFactor();
  return next({ ctx: { ...ctx, signedIn: ctx.signedIn, person: ctx.person } });
});
/** A mutation that only computes: a query whose input is too large for an address. */
export const readingProcedure = authorized.meta({ role: "member", changes: "nothing" });
