import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { appRouter } from "@/server/composition/trpc-root";
import { mount } from "@/server/transport/http/mount";
import { createContext, retryAfterHeader, toTrpcError } from "@/server/transport/trpc/init";

export const dynamic = "force-dynamic";

const handler = mount((request) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => createContext(request.headers).catch((error: unknown) => Promise.reject(toTrpcError(error))),
    responseMeta: retryAfterHeader,
  }),
);

export { handler as GET, handler as POST };
