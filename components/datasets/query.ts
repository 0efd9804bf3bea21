import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { DatasetPath } from "@/domain/datasets/schema";

/** A dataset as its screens show it. */
export type Dataset = Outputs["datasets"]["overviewOf"];

const filterKeys = [
  "data_type",
  "status",
  "search",
  "demo",
  "ordering",
] as const satisfies readonly (keyof Inputs["datasets"]["overview"])[];

/** Rows per page. */
const pageSize = 50;

/** The list's query for what the address holds; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["datasets"]["overview"] => ({
  ...filterInput(filterKeys, values),
  limit: pageSize,
});

export const datasetHref = ({ owner_name: owner, slug }: Pick<Dataset, "owner_name" | "slug">): string =>
  `/datasets/${owner}/${slug}`;

/** The items of a dataset that a filter holds. */
export const itemsHref = (of: Pick<Dataset, "owner_name" | "slug">, filter: string): string =>
  `${datasetHref(of)}?${new URLSearchParams({ filter_query_string: filter }).toString()}`;

export const datasetPath = ({ owner_name: owner, slug }: Pick<Dataset, "owner_name" | "slug">): DatasetPath => ({
  owner,
  slug,
});

/** The address of the page that exports datasets. */
export const exportHref = (uids: readonly string[]): string =>
  `/exports/new?${new URLSearchParams({ datasets: uids.join(",") }).toString()}`;
