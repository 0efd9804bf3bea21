import type { UseQueryOptions } from "@tanstack/react-query";

/**
 * The options of a query, typed by its output alone: tRPC types them by their procedure, which is not known to parts
 * that serve many lists.
 */
export const toQuery = <Output>(options: { queryKey: readonly unknown[] }): UseQueryOptions<Output> =>
  options as unknown as UseQueryOptions<Output>;
