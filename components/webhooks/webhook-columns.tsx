import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { causeText } from "@/domain/webhooks/failure-cause";
import { DayBars } from "./day-bars";
import { DeliveryMark } from "./delivery-status";
import { slowMs, type Webhook } from "./query";
import { WebhookStateMark } from "./webhook-state";

const percent = (rate: number): string => `${formatNumber(Math.floor(rate * 1_000) / 10, 1)} %`;

/** The share of attempts that were delivered; never rounded up to 100 %. */
export function DeliveredRate({ rate }: { rate: number | null }) {
  if (rate === null) return <None />;
  return <span className={rate < 0.95 ? "text-error-text tabular-nums" : "tabular-nums"}>{percent(rate)}</span>;
}

export function Latency({ ms }: { ms: number | null }) {
  if (ms === null) return <None />;
  return <span className={ms > slowMs ? "text-warning-text tabular-nums" : "tabular-nums"}>{formatDuration(ms)}</span>;
}

export const webhookColumns: readonly DataTableColumn<Webhook>[] = [
  {
    id: "url",
    header: "URL",
    minWidth: 220,
    required: true,
    narrow: "title",
    cell: (webhook) => (
      <WithDemoMark of={webhook}>
        <TruncateMiddle text={webhook.target_url} tail={18} className="font-mono text-meta" />
      </WithDemoMark>
    ),
  },
  {
    id: "events",
    header: "Events",
    width: 72,
    align: "right",
    cell: (webhook) => <span title={webhook.events.join(", ")}>{webhook.events.length}</span>,
  },
  {
    id: "state",
    header: "State",
    width: 120,
    narrow: "trailing",
    cell: (webhook) => (
      <span title={webhook.failing ? `Newest failure: ${causeText(webhook.failing.cause)}` : undefined}>
        <WebhookStateMark webhook={webhook} />
      </span>
    ),
  },
  { id: "bars", header: "24 h", width: 136, cell: (webhook) => <DayBars bars={webhook.bars} /> },
  {
    id: "delivered",
    header: "Delivered",
    width: 88,
    align: "right",
    narrow: "meta",
    cell: (webhook) =>
      webhook.delivered_rate === null ? (
        <None />
      ) : (
        <>
          <DeliveredRate rate={webhook.delivered_rate} />
          <span className="sm:hidden"> delivered</span>
        </>
      ),
  },
  { id: "p95", header: "p95", width: 76, align: "right", cell: (webhook) => <Latency ms={webhook.p95_ms} /> },
  {
    id: "last",
    header: "Last",
    width: 136,
    narrow: "meta",
    cell: (webhook) =>
      webhook.last ? (
        <span className="flex items-center gap-2">
          <DeliveryMark status={webhook.last.status} retrying={webhook.last.retrying} hideLabel />
          <RelativeTime value={webhook.last.at} rich={false} className="text-muted" />
        </span>
      ) : (
        <span className="text-subtle">Never</span>
      ),
  },
];
