import { Bytes } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nameColumn } from "@/components/list/name-column";
import { ExportAction, ExportState } from "./export-status";
import { describeSources, formatNames, isExpired } from "./labels";
import type { Export } from "./query";
import type { ExportActions } from "./use-export-actions";

/** When its file is deleted; a dash where there is none. */
export function ExpiresIn({ of }: { of: Export }) {
  if (isExpired(of)) return <span className="text-subtle">Expired</span>;
  return of.expires_at === null ? <None /> : <RelativeTime value={of.expires_at} rich={false} />;
}

export const exportColumns = (actions: Pick<ExportActions, "abort" | "retry">): readonly DataTableColumn<Export>[] => [
  nameColumn,
  {
    id: "format",
    header: "Format",
    width: 88,
    narrow: "meta",
    cell: (of) => <span title={of.format}>{formatNames[of.format]}</span>,
  },
  {
    id: "sources",
    header: "Sources",
    width: 200,
    narrow: "meta",
    cell: (of) => <Truncate text={describeSources(of.sources)} />,
  },
  {
    id: "status",
    header: "Status",
    width: 230,
    narrow: "trailing",
    cell: (of) => (
      <span className="flex min-w-0 items-center gap-2">
        <ExportState of={of} className="flex-1" />
        <ExportAction of={of} actions={actions} />
      </span>
    ),
  },
  {
    id: "size",
    header: "Size",
    width: 88,
    align: "right",
    narrow: "meta",
    cell: (of) => (Number(of.size_bytes) > 0 ? <Bytes value={Number(of.size_bytes)} /> : <None />),
  },
  {
    id: "created_at",
    header: "Created",
    width: 96,
    align: "right",
    ordering: "created_at",
    cell: (of) => <RelativeTime value={of.created_at} rich={false} className="text-muted" />,
  },
  { id: "expires_at", header: "Expires", width: 100, align: "right", cell: (of) => <ExpiresIn of={of} /> },
  {
    id: "created_by",
    header: "By",
    width: 110,
    hidden: true,
    cell: (of) => (of.created_by === null ? <None /> : <Truncate text={of.created_by} />),
  },
  {
    id: "where",
    header: "Where",
    width: 120,
    hidden: true,
    cell: (of) => <Truncate text={of.bucket ?? "Muster"} />,
  },
];
