import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the group list. */
export type Group = Outputs["groups"]["overview"]["results"][number];

const pageSize = 100;

/** The query of the list for the filters in the address: the outermost groups, or those with a name. */
export const listInput = (values: AddressValues): Inputs["groups"]["overview"] => ({
  ...filterInput(["search", "demo", "ordering"], values),
  limit: pageSize,
});

/** The query for the groups directly in a group. */
export const insideInput = (parent: string): Inputs["groups"]["overview"] => ({ parent, limit: pageSize });

const deviceFilterKeys = [
  "status",
  "type",
  "tags",
  "search",
] as const satisfies readonly (keyof Inputs["fleet"]["devices"])[];

/** The query for the devices in a group and in the groups inside it. */
export const devicesInput = (uid: string, values: AddressValues): Inputs["fleet"]["devices"] => ({
  ...filterInput(deviceFilterKeys, values),
  group_id: uid,
  limit: pageSize,
});
