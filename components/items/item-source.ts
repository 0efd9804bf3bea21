import type { Inputs, Outputs } from "@/components/trpc/client";

/** Whose items a grid shows. */
export interface ItemSource {
  /** The uid of the dataset. */
  dataset: string;
  owner: string;
  slug: string;
  /** What items have to match in any case, such as the filter of a slice. */
  filter?: string;
  /** Whether people cannot write a filter of their own. */
  locked?: boolean;
}

/** What is chosen in a grid: single items, or all that match a filter, of which there are that many. */
export type ItemSelection = { uids: string[] } | { filter: string; expected: number };

/** An item in a cell; `gone` when it was deleted, or stopped to match, since the page was loaded. */
export type ItemCell = Outputs["items"]["window"]["rows"][number] & { gone?: true };

export type ItemSurvey = Extract<Outputs["items"]["survey"], { timed_out: false }>;
export type ItemOrdering = NonNullable<Inputs["items"]["survey"]["ordering"]>;

/** What a grid asks for: items of a dataset that match a filter, in an order. */
export interface ItemQuery {
  dataset: string;
  filter: string;
  ordering: ItemOrdering;
}
