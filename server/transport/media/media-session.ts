import type { Context } from "hono";
import type { Ctx } from "@/server/platform/context";
import { isServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { currentScope } from "@/server/platform/request-scope";
import { ObjectMissing } from "@/server/platform/storage/store";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { refuse } from "@/server/transport/files/responses";
import { createSessionContext, readSession } from "@/server/transport/session/session";

const log = logFor("media");

/** Browsers keep media for a day: an address never gets other bytes. */
export const mediaHeaders = {
  "cache-control": "private, max-age=86400, immutable",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** Responds to a request for media of a signed-in person's organization; failures become responses. */
export async function respondWithMedia(c: Context, respond: (ctx: Ctx) => Promise<Response>): Promise<Response> {
  try {
    const session = await readSession(c.req.raw.headers.get("cookie"));
    if (!session) return refuse(401, "Authentication credentials were not provided.");
    const requestId = currentScope()?.requestId ?? null;
    return await respond(createSessionContext(session, { ip: null, requestId }));
  } catch (error) {
    if (error instanceof ObjectMissing) return refuse(404, "Not found.");
    const refusal = unavailable(error);
    if (refusal) return unavailableResponse(refusal);
    // What a bucket refuses: its text names the bucket, for those who configured it.
    if (isServiceError(error) && error.code === "invalid") return refuse(502, error.text());
    log.error({ err: error }, "request failed");
    return refuse(500, "A server error occurred.");
  }
}
