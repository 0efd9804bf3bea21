"use client";

import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  type ColumnDef,
  type RowData,
} from "@tanstack/react-table";
import { useMemo } from "react";
import { usePreference } from "@/components/kit/preferences-provider";
import type { DataTableColumn } from "./data-table-types";

/** What of the table engine is used. */
export const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });

/** Columns as the table engine wants them, and visibility from what the person has hidden or shown. */
export function useColumns<Row extends RowData>(id: string, columns: readonly DataTableColumn<Row>[]) {
  const [stored, store] = usePreference(`columns.${id}`);
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, Row> => ({
        id: column.id,
        header: column.header,
        enableHiding: !column.required,
      })),
    [columns],
  );
  const visibility = useMemo(() => {
    // Stored are only departures from the default: `-tags` hides, `+firmware` shows.
    const changes = new Map(stored.split(" ").map((mark) => [mark.slice(1), mark.startsWith("+")]));
    return Object.fromEntries(columns.map((column) => [column.id, changes.get(column.id) ?? !column.hidden]));
  }, [columns, stored]);
  const setVisibility = (next: Record<string, boolean>) => {
    const marks = columns.filter((column) => next[column.id] !== !column.hidden);
    store(marks.map((column) => `${next[column.id] ? "+" : "-"}${column.id}`).join(" "));
  };
  return { byId, definitions, visibility, setVisibility };
}
