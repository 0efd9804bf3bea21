import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import { uid } from "@/domain/fields";
import type { ProjectStatus } from "@/domain/projects/schema";

/** A project as its list shows it. */
export type Project = Outputs["projects"]["overview"]["results"][number];
/** A project as its page shows it. */
export type ProjectDetail = Outputs["projects"]["overviewOf"];

/** The tabs of the list, in the address as `status`, and the statuses that each holds; none: all. */
export const listTabs = {
  all: { label: "All", statuses: [] },
  "pending-approval": { label: "Needs approval", statuses: ["pending-approval"] },
  active: { label: "Active", statuses: ["active"] },
  paused: { label: "Paused", statuses: ["paused"] },
  completed: { label: "Done", statuses: ["completed"] },
  archived: { label: "Archived", statuses: ["archived", "canceled"] },
} as const satisfies Record<string, { label: string; statuses: readonly ProjectStatus[] }>;
export type ListTab = keyof typeof listTabs;

export const listTabNames = Object.keys(listTabs) as ListTab[];

const filterKeys = ["search", "demo", "ordering"] as const satisfies readonly (keyof Inputs["projects"]["overview"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for what the address holds; the server's prefetch and the browser must use the same. */
export function listInput(values: AddressValues): Inputs["projects"]["overview"] {
  const wanted = addressValue(values, "status");
  const tab = listTabNames.find((name) => name === wanted) ?? "all";
  const statuses = listTabs[tab].statuses.join(",");
  return {
    ...filterInput(filterKeys, values),
    ...(statuses !== "" && { status: statuses }),
    limit: pageSize,
  };
}

export const projectList = { label: "Projects", href: "/projects" };

export const projectHref = (uid: string): string => `/projects/${uid}`;

/** The address of the page on which results of a project are decided. */
export const reviewHref = (uid: string): string => `${projectHref(uid)}/review`;

/** The address of the page that exports projects. */
export const exportHref = (uids: readonly string[]): string =>
  `/exports/new?${new URLSearchParams({ projects: uids.join(",") }).toString()}`;

/** The address of a dataset, or of those of its items that a filter holds. */
export function datasetHref(of: { owner_name: string; slug: string }, filter?: string): string {
  const query = filter === undefined ? "" : `?${new URLSearchParams({ filter_query_string: filter }).toString()}`;
  return `/datasets/${of.owner_name}/${of.slug}${query}`;
}

/** The query for chosen datasets and slices and those that a search finds; the server's prefetch and the browser use the same. */
export const sourcesInput = (chosen: readonly string[], search = ""): Inputs["projects"]["sources"] => ({
  chosen: chosen.filter((each) => uid().safeParse(each).success),
  ...(search !== "" && { search }),
});

/** The query that tells whether a person works alone; the server's prefetch and the browser use the same. */
export const membersInput: Inputs["members"]["list"] = { limit: 10 };
