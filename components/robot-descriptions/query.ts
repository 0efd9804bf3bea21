import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A robot description as the list has it. */
export type RobotDescription = Outputs["robotDescriptions"]["list"]["results"][number];

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["robotDescriptions"]["list"] => ({
  ...filterInput(["device_type"], values),
  limit: 100,
});
