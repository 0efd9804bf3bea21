import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "./data-table";

/** The first column of a list: the name, by which it can be ordered, and whether the row is of the demo fleet. */
export const nameColumn: DataTableColumn<{ name: string; demo: boolean }> = {
  id: "name",
  header: "Name",
  minWidth: 160,
  ordering: "name",
  required: true,
  narrow: "title",
  cell: (row) => (
    <WithDemoMark of={row}>
      <Truncate text={row.name} />
    </WithDemoMark>
  ),
};
