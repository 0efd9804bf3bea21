"use client";

import { ItemGrid } from "@/components/items/item-grid";
import type { Dataset } from "./query";

/** The items of a dataset. */
export function ItemsTab({ dataset }: { dataset: Dataset }) {
  return <ItemGrid source={{ dataset: dataset.uid, owner: dataset.owner_name, slug: dataset.slug }} />;
}
