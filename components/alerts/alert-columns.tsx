import { RelativeTime } from "@/components/kit/time";
import type { DataTableColumn } from "@/components/list/data-table";
import { SeverityStatus } from "@/components/product/status";
import type { Severity } from "@/domain/severity";

/** What every list of alerts has of one. */
interface ListedAlert {
  severity: Severity;
  occurrence_count: number;
  triggered_at: string;
}

/** The columns that lists of alerts beside the inbox have alike. */
export const alertColumns = {
  severity: {
    id: "severity",
    header: "Severity",
    width: 112,
    narrow: "leading",
    cell: (alert) => <SeverityStatus severity={alert.severity} />,
  },
  count: {
    id: "count",
    header: "Times",
    width: 80,
    align: "right",
    cell: (alert) => <span className="tabular-nums">×{alert.occurrence_count}</span>,
  },
  triggeredAt: {
    id: "triggered_at",
    header: "Triggered",
    width: 112,
    align: "right",
    narrow: "meta",
    cell: (alert) => <RelativeTime value={alert.triggered_at} rich={false} />,
  },
} as const satisfies Record<string, DataTableColumn<ListedAlert>>;
