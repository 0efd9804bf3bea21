import { formatNumber, plural } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nameColumn } from "@/components/list/name-column";
import { NarrowNoun } from "@/components/list/narrow-noun";
import type { Slice } from "./query";

const number = (value: number): string => formatNumber(value, 0);
const signed = (value: number): string => (value > 0 ? `+${number(value)}` : `−${number(-value)}`);

/** How many items a slice holds, and how many more or fewer than a week ago. */
export function SliceItems({ slice }: { slice: Slice }) {
  const { counted_at: countedAt, item_count: count, week_ago_count: before } = slice;
  if (countedAt === null) return <span className="text-subtle">Counting…</span>;
  const difference = before === null ? 0 : count - before;
  return (
    <span className="inline-flex items-baseline gap-2 tabular-nums">
      {difference !== 0 && (
        <span className="text-meta text-muted" title={`${signed(difference)} since last week`}>
          {signed(difference)}
        </span>
      )}
      <span>
        {number(count)}
        <NarrowNoun count={count} one="item" />
      </span>
    </span>
  );
}

/** The filter of a slice as text, in one line. */
const FilterText = ({ filter }: { filter: string }) =>
  filter === "" ? <span className="text-subtle">Every item</span> : <Truncate text={filter} className="font-mono" />;

export const sliceColumns: readonly DataTableColumn<Slice>[] = [
  nameColumn,
  {
    id: "dataset",
    header: "Dataset",
    width: 180,
    narrow: "meta",
    cell: ({ dataset_name: name }) => <Truncate text={name} />,
  },
  {
    id: "filter",
    header: "Filter",
    minWidth: 200,
    cell: ({ filter_query_string: filter }) => <FilterText filter={filter} />,
  },
  {
    id: "items",
    header: "Items",
    width: 110,
    align: "right",
    narrow: "trailing",
    cell: (slice) => <SliceItems slice={slice} />,
  },
  {
    id: "counted_at",
    header: "Counted",
    width: 100,
    align: "right",
    hidden: true,
    cell: ({ counted_at: at }) => (at === null ? <None /> : <RelativeTime value={at} rich={false} />),
  },
  {
    id: "used_by",
    header: "Used by",
    width: 140,
    narrow: "meta",
    cell: ({ export_count: count }) => (count === 0 ? <None /> : plural(count, "export")),
  },
  {
    id: "created_at",
    header: "Created",
    width: 96,
    align: "right",
    ordering: "created_at",
    roomy: true,
    cell: ({ created_at: at }) => <RelativeTime value={at} rich={false} className="text-muted" />,
  },
  {
    id: "created_by",
    header: "By",
    width: 110,
    hidden: true,
    cell: ({ created_by: name }) => (name === null ? <None /> : <Truncate text={name} />),
  },
];
