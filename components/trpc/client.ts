import type { UseQueryOptions } from "@tanstack/react-query";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import type { AppRouter } from "@/server/composition/trpc-root";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

/** Inputs and outputs of procedures: `Outputs["devices"]["get"]`. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

/**
 * The options of a query, typed by its output alone: tRPC types them by their procedure, which is not known to parts
 * that serve many lists.
 */
export const toQuery = <Output>(options: { queryKey: readonly unknown[] }): UseQueryOptions<Output> =>
  options as unknown as UseQueryOptions<Output>;
