import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** An export as its screens show it. */
export type Export = Outputs["exports"]["overview"]["results"][number];
export type ExportSource = Export["sources"][number];

const filterKeys = [
  "status",
  "search",
  "demo",
  "ordering",
] as const satisfies readonly (keyof Inputs["exports"]["overview"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for what the address holds; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["exports"]["overview"] => ({
  ...filterInput(filterKeys, values),
  limit: pageSize,
});

export const exportHref = (uid: string): string => `/exports/${uid}`;

const toPercent = (share = 0): string => String(Number((share * 100).toFixed(2)));

/** The address of the page that makes an export, filled with what another one was made of. */
export function repeatHref(from: Export): string {
  const values = {
    datasets: from.datasets.join(","),
    slices: from.slices.join(","),
    projects: from.projects.join(","),
    filter_query_string: from.filter_query_string,
    results: from.results,
    format: from.format,
    name: from.name,
    storage_config_uid: from.storage_config_uid ?? "",
    val: from.split === null ? "" : toPercent(from.split.val),
    test: from.split === null ? "" : toPercent(from.split.test),
    background: from.background ? "true" : "",
  };
  return `/exports/new?${new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString()}`;
}
