import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A metric as the list has it. */
export type Metric = Outputs["health"]["metrics"]["results"][number];

/** The list's query for the filters in the address. */
export const metricInput = (values: AddressValues): Inputs["health"]["metrics"] => ({
  ...filterInput(["search"], values),
  limit: 100,
});
