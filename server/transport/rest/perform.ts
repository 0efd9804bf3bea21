import { mayCall } from "@/domain/permissions";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import { invalidInput, ServiceError } from "@/server/platform/errors";
import type { CallOrigin, Endpoint } from "@/server/transport/rest/endpoint";
import { parseWire } from "@/server/transport/rest/wire";

/** Throws `forbidden` (403) for a caller without the permission or the role that the endpoint requires. */
export function authorize({ access }: Endpoint, ctx: Ctx): void {
  if (access && !mayCall(ctx.permissions, access)) throw new ServiceError("forbidden");
}

/** The input of a request in its wire format. */
export interface WireInput {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** The names of the members of a body, whatever their values are. */
const listMembers = (body: unknown): ReadonlySet<string> =>
  new Set(typeof body === "object" && body !== null ? Object.keys(body) : []);

/**
 * Parses the input with the endpoint's schemas and calls its handler. A missing object in the path, or one that the
 * caller may not change, takes precedence: throws `not_found` or `forbidden` for it before `invalid` for fields.
 */
export async function performEndpoint(
  endpoint: Endpoint,
  ctx: Ctx | AnonymousCtx,
  input: WireInput,
  origin: CallOrigin,
): Promise<{ status: number; result: unknown }> {
  // No identifier contains a null character, and PostgreSQL refuses it in parameters.
  if (Object.values(input.params).some((value) => value.includes("\0"))) throw new ServiceError("not_found");
  const params = endpoint.params?.safeParse(input.params);
  if (params && !params.success) throw new ServiceError("not_found");
  const query = endpoint.query ? parseWire(endpoint.query, input.query, endpoint.renames) : null;
  const body = endpoint.body ? parseWire(endpoint.body, input.body, endpoint.renames) : null;
  const response = body && !body.ok ? endpoint.malformed?.(input.body) : null;
  if (response) return { status: 400, result: response };
  for (const parsed of [query, body]) {
    if (!parsed || parsed.ok) continue;
    if ("organizationId" in ctx) await endpoint.exists?.(ctx, params?.data, listMembers(input.body));
    else await endpoint.admits?.(ctx, input.body);
    throw invalidInput(parsed.issues);
  }
  let status: number = endpoint.status;
  const result = await endpoint.invoke({
    ctx,
    params: params?.data,
    query: query?.ok ? query.value : undefined,
    body: body?.ok ? body.value : undefined,
    publicUrl: origin.publicUrl,
    // Most handlers need none, and it is made when it is read.
    get signal() {
      return origin.signal;
    },
    setStatus: (chosen) => {
      status = chosen;
    },
  });
  return { status, result };
}
