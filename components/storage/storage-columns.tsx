"use client";

import { formatBytes, formatCompact, plural } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { providerLabels } from "./labels";
import { bucketPath, type Bucket } from "./query";
import { StorageState } from "./storage-state";

/** What of Muster is in a bucket, the most telling first: `2 datasets, 1 export`. */
export function describeUse({ datasets, recordings, exports }: Bucket["used_by"]): string {
  return [
    datasets > 0 && plural(datasets, "dataset"),
    recordings > 0 && plural(recordings, "recording"),
    exports > 0 && plural(exports, "export"),
  ]
    .filter(Boolean)
    .join(", ");
}

export const storageColumns: readonly DataTableColumn<Bucket>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    cell: (bucket) => <Truncate text={bucket.name} />,
  },
  {
    id: "provider",
    header: "Provider",
    width: 116,
    cell: (bucket) => (bucket.s3_endpoint_url ? "S3-compatible" : providerLabels[bucket.provider]),
  },
  {
    id: "bucket",
    header: "Bucket",
    width: 220,
    narrow: "meta",
    cell: (bucket) => <Truncate text={bucketPath(bucket)} className="font-mono text-meta text-muted" />,
  },
  {
    id: "region",
    header: "Region",
    width: 110,
    cell: (bucket) => (bucket.s3_bucket_region ? <Truncate text={bucket.s3_bucket_region} /> : <None />),
  },
  {
    id: "state",
    header: "Verified",
    width: 164,
    narrow: "trailing",
    cell: (bucket) => <StorageState bucket={bucket} />,
  },
  {
    id: "used",
    header: "Used by",
    width: 160,
    cell: (bucket) => {
      const use = describeUse(bucket.used_by);
      return use === "" ? <span className="text-subtle">Nothing yet</span> : <Truncate text={use} />;
    },
  },
  {
    id: "objects",
    header: "Objects",
    width: 88,
    align: "right",
    cell: (bucket) => <span title={String(bucket.objects)}>{formatCompact(bucket.objects)}</span>,
  },
  { id: "bytes", header: "Bytes", width: 96, align: "right", cell: (bucket) => formatBytes(bucket.bytes) },
];
