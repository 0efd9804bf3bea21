"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from "@trpc/client";
import { useState, type ReactNode } from "react";
import type { AppRouter } from "@/server/composition/trpc-root";
import { TRPCProvider } from "./client";
import { countMutations } from "./pending-mutations";
import { makeQueryClient } from "./query-client";

const server = { url: "/api/trpc" };

/** One request for the calls of a moment, and one of its own for a call with `alone`, so that no other waits for it. */
const links = () => [
  countMutations,
  splitLink({
    condition: ({ context }) => context.alone === true,
    true: httpLink(server),
    false: httpBatchLink({ ...server, maxURLLength: 8_000 }),
  }),
];

interface ServerProviderProps {
  /** Before a failed query is tried again; a second by default. */
  retryPauseMs?: number;
  children: ReactNode;
}

/** The page's connection to the server's procedures and the cache of their results. */
export function ServerProvider({ retryPauseMs, children }: ServerProviderProps) {
  const [queryClient] = useState(() => makeQueryClient(retryPauseMs));
  const [client] = useState(() => createTRPCClient<AppRouter>({ links: links() }));
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
