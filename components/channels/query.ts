import { type AddressValues, filterInput } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

export type Channel = Outputs["channels"]["overview"]["results"][number];
export type Delivery = Outputs["channels"]["deliveries"]["results"][number];
export type TestResult = Outputs["channels"]["test"];

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["channels"]["overview"] => ({
  ...filterInput(["type"], values),
  limit: 50,
});
