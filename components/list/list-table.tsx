"use client";

import type { RowData } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { FilterBar, type FilterBarProps } from "@/components/kit/filter-bar";
import { DataTable, type DataTableProps } from "./data-table";
import { NoMatches, type FilteredList } from "./no-matches";

interface ListTableProps<Row> extends Omit<DataTableProps<Row>, "toolbar"> {
  /** From `useListPage`. */
  list: FilteredList;
  /** What the filter bar is called and suggests; `filters` where it shows them in another form than the address. */
  filterBar: Pick<FilterBarProps, "label" | "placeholder"> & Partial<Pick<FilterBarProps, "filters">>;
  /** Beside the filter bar: saved views and the screen's own controls. */
  tools?: ReactNode;
  /** Shown when there is nothing and no filter is set. */
  empty: ReactNode;
}

/** A DataTable below its filters; when nothing matches them it suggests which one to remove. */
export function ListTable<Row extends RowData>({ list, filterBar, tools, empty, ...table }: ListTableProps<Row>) {
  const { definitions, textKey, filters } = list;
  return (
    <DataTable<Row>
      {...table}
      toolbar={
        <>
          <FilterBar definitions={definitions} textKey={textKey} filters={filters} {...filterBar} />
          {tools}
        </>
      }
      empty={filters.count > 0 ? <NoMatches noun={table.noun[1]} list={list} /> : empty}
    />
  );
}
