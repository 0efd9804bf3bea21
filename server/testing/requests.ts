import { createTRPCRecursiveProxy } from "@trpc/server";
import type { AppRouter } from "@/server/composition/trpc-root";
import { compose } from "@/server/testing/composition";
import {
  sessionCookie,
  sessionFor,
  testOrigin,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { readSignedIn } from "@/server/transport/session/session";
import { createSignedInContext } from "@/server/transport/trpc/init";

/** Requests of tests over both transports, which are loaded with the first of them. */

type Caller = ReturnType<AppRouter["createCaller"]>;

/** A caller of the procedures of the dashboard. */
const callerWith = (context: ReturnType<typeof createSignedInContext>): Caller =>
  createTRPCRecursiveProxy<Caller>(async ({ path, args }) => {
    const { appRouter } = await compose("trpc-root");
    const caller: object = appRouter.createCaller(context);
    const procedure: unknown = path.reduce((part, name) => Reflect.get(part, name), caller);
    if (typeof procedure !== "function") throw new TypeError(`there is no procedure ${path.join(".")}`);
    return Reflect.apply(procedure, undefined, args);
  });

/**
 * A tRPC caller with the session of a member (default: the owner), as in a browser:
 * `await createTrpcCaller(organization).devices.list({})`.
 */
export function createTrpcCaller(
  organization: TestOrganization,
  member: TestMember = organization.owner,
  options: { staff?: boolean; sessionUid?: string } = {},
) {
  const session = sessionFor(organization, member, options.staff);
  if (options.sessionUid !== undefined) session.uid = options.sessionUid;
  return callerWith(createSignedInContext(session, testOrigin));
}

/** A tRPC caller with the session of a user who may be in no organization, found as in a browser. */
export async function createPersonCaller(user: { uid: string }) {
  return callerWith(createSignedInContext(await readSignedIn(await sessionCookie(user)), testOrigin));
}

/** A tRPC caller without a session. */
export const trpcSignedOut = () => callerWith(createSignedInContext(null, testOrigin));

/** Sends a request to the Hono app as it is, for what is not below /api/v1. */
export const fetchApp = async (address: string | URL, init?: RequestInit): Promise<Response> =>
  (await compose("rest-app")).app.request(address, init);

export interface Reply<T> {
  status: number;
  body: T;
  headers: Headers;
}

/** The members of a response that most tests read; pass a resource (`request<DeviceResource>`) to read others. */
export interface AnyBody {
  [member: string]: unknown;
  uid: string;
  detail: string;
  results: AnyBody[];
  next: string | null;
  previous: string | null;
}

/**
 * Sends a request through the complete REST pipeline. `path` is below /api/v1, or an absolute URL (as `next` is).
 * `token` is a device's; `body` is sent as JSON, `raw` unchanged.
 */
export async function request<T = AnyBody>(
  method: string,
  path: string,
  options: { key?: string; token?: string; body?: unknown; raw?: BodyInit; headers?: Record<string, string> } = {},
): Promise<Reply<T>> {
  const { key, token, body, raw } = options;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const { app } = await compose("rest-app");
  const response = await app.request(path.startsWith("http") ? path : `/api/v1${path}`, {
    method,
    headers: {
      ...(payload !== undefined && { "content-type": "application/json" }),
      ...(typeof payload === "string" && { "content-length": String(Buffer.byteLength(payload)) }),
      ...(key !== undefined && { "x-service-api-key": key }),
      ...(token !== undefined && { "x-service-device-token": token }),
      ...options.headers,
    },
    ...(payload !== undefined && { body: payload }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as T, headers: response.headers };
}

/** Reads the key at each request, for files whose tests create an organization each. Errors are lists by field. */
export const requestsWith =
  (currentKey: () => string) =>
  <T>(method: string, path: string, body?: unknown, key = currentKey()) =>
    request<T & Record<string, string[]>>(method, path, { key, ...(body !== undefined && { body }) });
