"use client";

import Link from "next/link";
import { CodeBlock } from "@/components/kit/code-block";
import { KeyValue } from "@/components/kit/key-value";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { AttemptList } from "@/components/product/attempt-list";
import { DeliveryStatusMark } from "./delivery-status";
import type { Delivery } from "./query";

/** One message: its state, each attempt with the receiver's response, and what was sent. */
export function DeliveryDetail({ delivery, title }: { delivery: Delivery; title: string }) {
  return (
    <div className="flex flex-col gap-5">
      <div>
        <h3 className="text-body font-semibold">{title}</h3>
        <DeliveryStatusMark status={delivery.status} strong />
      </div>
      <KeyValue
        items={[
          ["Queued", <InstantTime key="at" value={delivery.created_at} precision="millisecond" />],
          ...(delivery.next_retry_at
            ? [["Next attempt", <RelativeTime key="next" value={delivery.next_retry_at} />] as const]
            : []),
          ...(delivery.alert_id
            ? [
                [
                  "Alert",
                  <Link
                    key="alert"
                    href={`/alerts/${delivery.alert_id}`}
                    className="rounded-control text-accent-text hover:underline"
                  >
                    Open alert
                  </Link>,
                ] as const,
              ]
            : []),
        ]}
      />
      <section>
        <h4 className="mb-2 text-table font-semibold">Attempts</h4>
        {delivery.attempt_log.length === 0 && (
          <p className="text-table text-muted">
            {delivery.status === "canceled" ? "Canceled before it was sent." : "None yet."}
          </p>
        )}
        <AttemptList attempts={delivery.attempt_log} success="Delivered" />
      </section>
      <section className="min-w-0">
        <h4 className="mb-2 text-table font-semibold">What is sent</h4>
        <CodeBlock code={JSON.stringify(delivery.payload, null, 2)} label="Message" />
      </section>
    </div>
  );
}
