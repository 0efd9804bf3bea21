import type { ItemQuery } from "./item-source";

/** A dataset as addresses have it. */
export interface DatasetAddress {
  owner: string;
  slug: string;
}

/** What of the grid goes with an item, so that its neighbours and the way back are the same. */
export interface GridPlace {
  filter_query_string?: string | null;
  ordering?: string | null;
  /** The run whose predictions are shown. */
  run?: string | null;
}

/** What a grid shows as its items' pages name it; the usual order is left out. */
export const toGridPlace = ({ filter, ordering }: Pick<ItemQuery, "filter" | "ordering">): GridPlace => ({
  filter_query_string: filter,
  ordering: ordering === "-created_at" ? null : ordering,
});

const withQuery = (path: string, query: Readonly<Record<string, string | null | undefined>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
};

/** The page of an item. */
export const itemHref = ({ owner, slug }: DatasetAddress, uid: string, place: GridPlace = {}): string =>
  withQuery(`/datasets/${owner}/${slug}/items/${uid}`, { ...place });

/** The page of a sequence, at a frame. */
export const sequenceHref = ({ owner, slug }: DatasetAddress, uid: string, frame?: number): string =>
  withQuery(`/datasets/${owner}/${slug}/sequences/${uid}`, { frame: frame ? String(frame) : null });

/** The grid, at the place of an item. */
export const gridHref = ({ owner, slug }: DatasetAddress, place: GridPlace = {}, at?: string): string =>
  withQuery(`/datasets/${owner}/${slug}`, { ...place, at });
