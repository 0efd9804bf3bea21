import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { Matchers } from "@/domain/silences/schema";

/** A silence as the list has it. */
export type Silence = Outputs["silences"]["list"]["results"][number];
export type Mutes = Outputs["silences"]["preview"];

/** What a silence mutes; while it is being written it may mute nothing. */
export type { Matchers };

export const hasMatchers = (matchers: Matchers): boolean =>
  Object.values(matchers).some((list: string[] | undefined) => (list?.length ?? 0) > 0);

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["silences"]["list"] => ({
  ...filterInput(["state"], values),
  limit: 100,
});
