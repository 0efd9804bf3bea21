import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { mount } from "@/server/rest/https";
import { createContext } from "@/server/trpc/init";
import { appRouter } from "@/server/trpc/root";

export const dynamic = "force-dynamic";

const answer = mount((request) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => createContext(request.headers),
  }),
);

export { answer as GET, answer as POST };
