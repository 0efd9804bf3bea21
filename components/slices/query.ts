import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A slice as its screens show it. */
export type Slice = Outputs["slices"]["overview"]["results"][number];

const filterKeys = [
  "dataset",
  "search",
  "demo",
  "ordering",
] as const satisfies readonly (keyof Inputs["slices"]["overview"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for what the address holds; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["slices"]["overview"] => ({
  ...filterInput(filterKeys, values),
  limit: pageSize,
});

export const sliceList = { label: "Slices", href: "/slices" };

export const sliceHref = (uid: string): string => `/slices/${uid}`;

/** The address of the page that exports slices. */
export const exportHref = (uids: readonly string[]): string =>
  `/exports/new?${new URLSearchParams({ slices: uids.join(",") }).toString()}`;
