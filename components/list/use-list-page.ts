"use client";

import { hashKey, keepPreviousData, type QueryKey } from "@tanstack/react-query";
import { useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { withDemoFilter } from "@/components/demo-fleet/demo-preference";
import { useSelected } from "@/components/kit/drawer";
import { useFilters } from "@/components/kit/filters";
import { useFreshRows, type Arrivals } from "./fresh-rows";
import type { FilteredList, FilterValues } from "./no-matches";
import { useListQuery, type ListQuery, type ListQueryOptions, type RowOf } from "./use-list-query";

/** One page of a list whose rows have a uid. */
interface PageOfResources {
  results: readonly { uid: string }[];
}

interface ListPageOptions<Result extends PageOfResources, Failure, Key extends QueryKey, Cursor> extends Omit<
  FilteredList,
  "filters"
> {
  /** The list's query for what the filters hold: `(values) => trpc.x.list.infiniteQueryOptions(…, nextPage)`. */
  query: (values: FilterValues) => ListQueryOptions<Result, Failure, Key, Cursor>;
  /** Rows that arrive while the list is open wait behind a pill; only for lists that begin with the newest. */
  holdsFresh?: boolean;
}

interface ListPage<Result extends PageOfResources> extends FilteredList {
  /** What its query takes: the filters, and what is chosen of the demo fleet and one's own. */
  values: FilterValues;
  query: ListQuery<Result>["query"];
  /** Every loaded row, those that wait behind the pill as well; undefined while the first page loads. */
  all: readonly RowOf<Result>[] | undefined;
  /** There is nothing to list, and no filter is set. */
  isEmpty: boolean;
  /** Which row's drawer is open. */
  selected: string | null;
  select: (uid: string | null) => void;
  selectedRow: RowOf<Result> | undefined;
  /** Closes the drawer if it shows one of these. */
  deselect: (uids: readonly string[]) => void;
  findRows: (uids: readonly string[]) => RowOf<Result>[];
  /** Shows rows that this person has just created without their waiting behind the pill. */
  showOwn: (uids: readonly string[]) => void;
  /** What the table shows and does; to be spread into a `ListTable`. */
  table: Omit<ListQuery<Result>["table"], "rows"> & {
    rows: readonly RowOf<Result>[] | undefined;
    rowKey: (row: RowOf<Result>) => string;
    selected: string | null;
    onSelect: (uid: string | null) => void;
    fresh: Arrivals<RowOf<Result>>["fresh"] | undefined;
  };
}

const getUid = ({ uid }: { uid: string }): string => uid;

/**
 * What every list screen is made of: filters and the open drawer in the address, pages behind a cursor, rows that
 * arrive meanwhile, and the previous rows while other filters load.
 */
export function useListPage<Result extends PageOfResources, Failure, Key extends QueryKey, Cursor>(
  options: ListPageOptions<Result, Failure, Key, Cursor>,
): ListPage<Result> {
  const { definitions, textKey, holdsFresh = false } = options;
  const filters = useFilters(definitions, textKey);
  const [selected, select] = useSelected();
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());

  const demo = useDemoFilter();
  const values = withDemoFilter(filters.values, demo);
  const queryOptions = options.query(values);
  const { query, rows: all, table } = useListQuery({ ...queryOptions, placeholderData: keepPreviousData });
  const arrivals = useFreshRows(query.isPlaceholderData ? null : hashKey(queryOptions.queryKey), all, own);
  const rows = holdsFresh ? arrivals.rows : all;

  return {
    definitions,
    textKey,
    probe: (without) => options.probe(withDemoFilter(without, demo)),
    filters,
    values,
    query,
    all,
    isEmpty: rows?.length === 0 && filters.count === 0,
    selected,
    select,
    selectedRow: all?.find(({ uid }) => uid === selected),
    deselect: (uids) => {
      if (selected !== null && uids.includes(selected)) select(null);
    },
    findRows: (uids) => {
      const wanted = new Set(uids);
      return all?.filter(({ uid }) => wanted.has(uid)) ?? [];
    },
    showOwn: (uids) => setOwn((before) => new Set([...before, ...uids])),
    table: {
      ...table,
      rows,
      rowKey: getUid,
      selected,
      onSelect: select,
      fresh: holdsFresh ? arrivals.fresh : undefined,
    },
  };
}
