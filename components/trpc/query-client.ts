import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";
import { readFailure } from "@/components/ui/failure";

/** One cache a browser tab, one a request on the server. Refusals are final; a server or network fault is tried twice more. */
export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (count, error) => count < 2 && (readFailure(error).status ?? 500) >= 500,
      },
      dehydrate: {
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
      },
    },
  });
