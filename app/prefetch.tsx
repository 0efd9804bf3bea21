import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { cache, type ReactNode } from "react";
import { makeQueryClient } from "@/components/trpc/query-client";
import { appRouter } from "@/server/composition/trpc-root";
import { createContext } from "@/server/transport/trpc/init";

/** One cache for everything a request prefetches. */
export const getQueryClient = cache(makeQueryClient);

const context = cache(async () => createContext(await headers()));

/** The session of the request being answered, or null. */
export const getSession = cache(async () => (await context()).session);

/** Procedures called in process: `await getQueryClient().prefetchQuery(trpc.devices.list.queryOptions({}))`. */
export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient: getQueryClient });

/** Hands what was prefetched to the components inside, so that they show it in the first frame. */
export function Hydrate({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>;
}
