import Link from "next/link";
import { formatDuration, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import { causeText } from "@/domain/webhooks/failure-cause";
import { DayBars } from "./day-bars";
import { DeliveryMark } from "./delivery-status";
import { slowMs, type Webhook } from "./query";
import { DeliveredRate, Latency } from "./webhook-columns";

/** What is set up and how the last 24 hours went. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { failing, last } = webhook;
  return (
    <div className="flex flex-col gap-5">
      <KeyValue
        items={[
          ["24 h", <DayBars key="bars" bars={webhook.bars} />],
          ["Delivered", <DeliveredRate key="rate" rate={webhook.delivered_rate} />],
          [
            "Latency",
            webhook.p50_ms === null ? null : (
              <span key="latency">
                <span className="whitespace-nowrap">median {formatDuration(webhook.p50_ms)},</span>{" "}
                <span className="whitespace-nowrap">
                  p95 <Latency ms={webhook.p95_ms} />
                </span>
              </span>
            ),
          ],
          [
            "Last",
            last ? (
              <span key="last" className="flex items-center gap-2">
                <DeliveryMark status={last.status} retrying={last.retrying} />{" "}
                <RelativeTime value={last.at} className="text-muted" />
              </span>
            ) : (
              <span key="last" className="text-muted">
                Nothing was sent yet
              </span>
            ),
          ],
          ...(failing
            ? [
                [
                  "Failing",
                  <Link
                    key="failing"
                    href={`/webhooks/${webhook.uid}?status=pending,failed`}
                    className="rounded-control text-accent-text hover:underline"
                  >
                    {plural(failing.count, "delivery", "deliveries")}
                    {failing.more && " or more"}, newest: {causeText(failing.cause)}
                  </Link>,
                ] as const,
              ]
            : []),
        ]}
      />
      {(webhook.p95_ms ?? 0) > slowMs && (
        <p className="text-table text-warning-text">
          The receiver is slow: one in twenty attempts takes longer than {formatDuration(slowMs)}, and 15 s are the
          limit. Queue the work and answer first.
        </p>
      )}
      <section>
        <h3 className="mb-2 text-table font-semibold">Set up</h3>
        <KeyValue
          items={[
            [
              "URL",
              <span key="url" className="font-mono text-meta break-all">
                {webhook.target_url}
              </span>,
            ],
            [
              "Events",
              <ul key="events" className="font-mono text-meta leading-5">
                {webhook.events.map((event) => (
                  <li key={event}>{event}</li>
                ))}
              </ul>,
            ],
            [
              "Secret",
              webhook.previous_secret_until ? (
                <span key="secret">
                  Rotated. The old one signs too until{" "}
                  <InstantTime value={webhook.previous_secret_until} precision="minute" />
                </span>
              ) : (
                "One, shown when it was created"
              ),
            ],
            ["Created", <InstantTime key="created" value={webhook.created_at} precision="minute" />],
            ["Uid", <UidChip key="uid" uid={webhook.uid} />],
          ]}
        />
      </section>
    </div>
  );
}
