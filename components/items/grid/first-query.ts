import type { ItemQuery } from "@/components/items/item-source";
import { addressValue, type AddressValues } from "@/components/list/list-input";
import { itemOrderings } from "@/domain/items/grid-schema";
import { bothFilters } from "./filter-parts";

/**
 * What the grid of an address asks for first: the query of its beginning. Null where it begins elsewhere, or shows no
 * pictures.
 */
export function readFirstItems(
  { dataset, filter: base = "" }: { dataset: string; filter?: string },
  address: AddressValues,
): ItemQuery | null {
  const value = (key: string) => addressValue(address, key);
  if (value("at") !== null || value("view") === "table" || (value("tab") ?? "items") !== "items") return null;
  return {
    dataset,
    filter: bothFilters(base, value("filter_query_string") ?? ""),
    ordering: itemOrderings.find((each) => each === value("ordering")) ?? itemOrderings[0],
  };
}
