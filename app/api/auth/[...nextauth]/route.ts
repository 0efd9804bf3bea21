import NextAuth from "next-auth";
import { getAuthOptions } from "@/server/composition/sign-in";
import { currentScope, inScope, RequestScope } from "@/server/platform/request-scope";
import { unavailableResponse } from "@/server/platform/unavailable";
import { mount } from "@/server/transport/http/mount";
import { readSignedIn } from "@/server/transport/session/session";

export const dynamic = "force-dynamic";

type Handler = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;
const signIn: Handler = (request, context) => (NextAuth(getAuthOptions(request.headers)) as Handler)(request, context);

/**
 * The library responds 401 for every failed sign-in; its client reads the reason from the body. It names whom a cookie
 * was made for, also once that session was ended: it is asked for a session that is valid only.
 */
const handler = mount((request: Request, context: Parameters<Handler>[1]) => {
  const scope = currentScope() ?? new RequestScope();
  return inScope(scope, async () => {
    const asksForSession = (await context.params).nextauth[0] === "session";
    if (asksForSession && !(await readSignedIn(request.headers.get("cookie")))) return Response.json({});
    const response = await signIn(request, context);
    if (!scope.refusal) return response;
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return unavailableResponse(scope.refusal, isJson ? ((await response.json()) as object) : {});
  });
});

export { handler as GET, handler as POST };
