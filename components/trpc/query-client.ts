import { isServer, QueryClient } from "@tanstack/react-query";
import { readFailure } from "@/components/product/failure";

/**
 * One cache a browser tab, one a request on the server. Refusals are final; a server or network fault is tried twice
 * more, but not while a page is rendered: the browser itself requests what the server could not put into
 * the first frame. The pause before the first further try, in milliseconds, is doubled before the second.
 */
export const makeQueryClient = (retryPauseMs = 1_000) =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: isServer ? false : (count, error) => count < 2 && (readFailure(error).status ?? 500) >= 500,
        retryDelay: (count) => retryPauseMs * 2 ** count,
      },
    },
  });
