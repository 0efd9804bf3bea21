import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A message definition as the list has it. */
export type MessageDefinition = Outputs["messageDefinitions"]["list"]["results"][number];

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["messageDefinitions"]["list"] => ({
  ...filterInput(["name"], values),
  limit: 100,
});
