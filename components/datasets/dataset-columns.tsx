import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { formatNumber } from "@/components/kit/format";
import { Bytes } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status } from "@/components/product/status";
import { DatasetState } from "./dataset-state";
import { ItemBar, labelledPercent } from "./item-bar";
import { dataTypeLabels } from "./labels";
import { Mosaic } from "./mosaic";
import type { Dataset } from "./query";

/** Where its files are; a bucket whose last test failed is marked. */
export function DatasetPlace({ of }: { of: Dataset }) {
  if (of.bucket === null) return <>Muster</>;
  if (!of.bucket.failing) return <Truncate text={of.bucket.name} />;
  return (
    <Status tone="warning">
      <span title="Its last test failed.">{of.bucket.name}</span>
    </Status>
  );
}

export const datasetColumns: readonly DataTableColumn<Dataset>[] = [
  { id: "mosaic", header: "Pictures", width: 136, roomy: true, cell: (of) => <Mosaic thumbnails={of.thumbnails} /> },
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    ordering: "name",
    required: true,
    narrow: "title",
    cell: (of) => (
      <span className="flex min-w-0 items-center gap-3">
        <WithDemoMark of={of}>
          <Truncate text={of.name} />
        </WithDemoMark>
        <DatasetState of={of} />
      </span>
    ),
  },
  { id: "type", header: "Type", width: 104, narrow: "meta", cell: (of) => dataTypeLabels[of.data_type].label },
  { id: "items", header: "Items", width: 180, narrow: "trailing", cell: (of) => <ItemBar of={of} isColumn /> },
  {
    id: "labelled",
    header: "Labelled",
    width: 88,
    align: "right",
    narrow: "meta",
    cell: (of) => {
      const percent = labelledPercent(of);
      return percent === null ? (
        <None />
      ) : (
        <span className="tabular-nums">
          {percent} %<span className="sm:hidden"> labelled</span>
        </span>
      );
    },
  },
  { id: "size", header: "Size", width: 88, align: "right", cell: (of) => <Bytes value={Number(of.size_bytes)} /> },
  {
    id: "projects",
    header: "Projects",
    width: 88,
    align: "right",
    cell: (of) => (of.project_count === 0 ? <None /> : formatNumber(of.project_count, 0)),
  },
  { id: "where", header: "Where", width: 140, hidden: true, cell: (of) => <DatasetPlace of={of} /> },
  {
    id: "updated_at",
    header: "Updated",
    width: 110,
    align: "right",
    cell: (of) => <RelativeTime value={of.updated_at} rich={false} className="text-muted" />,
  },
];
