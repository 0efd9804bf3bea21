"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Copy, RotateCw, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { useCopy } from "@/components/kit/copy-button";
import { formatDuration, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { useShortcuts } from "@/components/kit/shortcuts";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { refuseShortcut } from "@/components/product/permissions";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { Status } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { AttemptRuler } from "./attempt-ruler";
import { Countdown } from "./countdown";
import { EventObjectName } from "./delivery-columns";
import { DeliveryMark, isRetrying } from "./delivery-status";
import type { Attempt, DeliveryView, Webhook } from "./query";
import { VerifyForm } from "./verify-form";

interface DeliveryDrawerProps {
  uid: string | null;
  webhook: Webhook;
  /** Why the person may not replay. */
  reason: string | undefined;
  onReplay: (uid: string) => void;
  onOpen: (uid: string | null) => void;
  onFilter: (object: string) => void;
}

/** One delivery: what was sent, how the receiver responded, and every attempt. */
export function DeliveryDrawer({ uid, webhook, reason, onReplay, onOpen, onFilter }: DeliveryDrawerProps) {
  const trpc = useTRPC();
  const [raw, setRaw] = useState(false);
  const [verifying, setVerifying] = useState<string | null>(null);
  const { copy } = useCopy();
  const query = useQuery({
    ...trpc.deliveries.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null,
    placeholderData: keepPreviousData,
  });
  const delivery = query.data?.uid === uid ? query.data : undefined;
  const refusal = reason ?? (delivery && explain(delivery));
  const curl = delivery && buildCurl(webhook.target_url, delivery);
  useShortcuts(
    [
      refuseShortcut(
        { keys: "r", label: "Replay", group: "Delivery", run: () => delivery && onReplay(delivery.uid) },
        refusal,
      ),
      { keys: "v", label: "Raw or formatted body", group: "Delivery", run: () => setRaw((on) => !on) },
      { keys: "y", label: "Copy as curl", group: "Delivery", run: () => void (curl && copy(curl)) },
    ],
    delivery !== undefined,
  );
  return (
    <ResourceDrawer<DeliveryView>
      uid={uid}
      noun="delivery"
      resource={delivery}
      getName={(each) => each.event_type}
      subtitle={(each) => (
        <>
          <DeliveryMark status={each.status} retrying={isRetrying(each)} strong />
          {each.response_status !== null && <span className="tabular-nums">{each.response_status}</span>}
          {each.duration_ms !== null && <span className="tabular-nums">{formatDuration(each.duration_ms)}</span>}
        </>
      )}
      links={(each) => (
        <Button size="sm" icon={<RotateCw aria-hidden />} disabledReason={refusal} onClick={() => onReplay(each.uid)}>
          Replay
        </Button>
      )}
      menu={(each) => [
        {
          label: "Copy as curl",
          icon: <Copy aria-hidden />,
          onSelect: () => void copy(buildCurl(webhook.target_url, each)),
        },
        { label: "Verify its signature", icon: <ShieldCheck aria-hidden />, onSelect: () => setVerifying(each.uid) },
      ]}
      query={query}
      onClose={() => onOpen(null)}
    >
      {(each) => (
        <>
          <section className="flex flex-col gap-4">
            <KeyValue
              items={[
                ["Created", <InstantTime key="created" value={each.created_at} precision="millisecond" />],
                ...(each.object
                  ? [
                      [
                        "Object",
                        <span key="object" className="flex flex-wrap items-center gap-x-3">
                          <EventObjectName object={each.object} />
                          <UidChip uid={each.object.uid} />
                          <Button
                            size="sm"
                            variant="ghost"
                            className="-ml-2"
                            onClick={() => onFilter(each.object?.uid ?? "")}
                          >
                            All about it
                          </Button>
                        </span>,
                      ] as const,
                    ]
                  : []),
                ...(each.next_retry_at
                  ? [
                      [
                        "Next attempt",
                        <span key="next">
                          in <Countdown to={each.next_retry_at} />
                        </span>,
                      ] as const,
                    ]
                  : []),
                ...(each.replay_of
                  ? [
                      [
                        "Sent again",
                        <Button
                          key="of"
                          size="sm"
                          variant="ghost"
                          className="-ml-2"
                          onClick={() => onOpen(each.replay_of)}
                        >
                          ↻ of an earlier delivery
                        </Button>,
                      ] as const,
                    ]
                  : []),
                ...(each.repeats.length > 0
                  ? [
                      [
                        "Replays",
                        <ul key="repeats">
                          {each.repeats.map((repeat) => (
                            <li key={repeat.uid}>
                              <Button size="sm" variant="ghost" className="-ml-2" onClick={() => onOpen(repeat.uid)}>
                                ↻ <DeliveryMark status={repeat.status} />{" "}
                                <RelativeTime value={repeat.created_at} rich={false} />
                              </Button>
                            </li>
                          ))}
                        </ul>,
                      ] as const,
                    ]
                  : []),
                ["Uid", <UidChip key="uid" uid={each.uid} max={24} />],
              ]}
            />
            {each.error !== null && <p className="text-table break-words text-error-text">{each.error}</p>}
          </section>
          <section>
            <h3 className="mb-2 text-table font-semibold">{plural(each.attempts, "attempt")}</h3>
            <AttemptRuler delivery={each} />
            <ol className="mt-3 flex flex-col gap-3">
              {each.attempt_log.toReversed().map((attempt, at) => (
                <AttemptItem
                  key={attempt.uid}
                  attempt={attempt}
                  number={each.attempt_log.length - at}
                  open={at === 0}
                />
              ))}
            </ol>
            {each.attempt_log.length === 0 && <p className="text-table text-muted">None yet.</p>}
          </section>
          <section className="min-w-0">
            <div className="mb-2 flex items-center justify-between gap-3">
              <h3 className="text-table font-semibold">Body</h3>
              <Button size="sm" variant="ghost" aria-pressed={raw} onClick={() => setRaw(!raw)}>
                {raw ? "Formatted" : "Raw"}
              </Button>
            </div>
            <CodeBlock
              label={raw ? "As sent" : "Formatted"}
              wrap={raw}
              code={raw ? each.body : JSON.stringify(JSON.parse(each.body), null, 2)}
            />
          </section>
          <section>
            <div className="mb-2 flex items-center justify-between gap-3">
              <h3 className="text-table font-semibold">Signature</h3>
              {verifying !== each.uid && (
                <Button size="sm" icon={<ShieldCheck aria-hidden />} onClick={() => setVerifying(each.uid)}>
                  Verify
                </Button>
              )}
            </div>
            {verifying === each.uid && (
              <VerifyForm
                key={each.uid}
                sent={{ body: each.body, headers: each.attempt_log.at(-1)?.request_headers ?? {} }}
              />
            )}
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}

const explain = (delivery: DeliveryView): string | undefined =>
  delivery.status === "pending" && !isRetrying(delivery) ? "It is still on its way." : undefined;

function AttemptItem({ attempt, number, open }: { attempt: Attempt; number: number; open: boolean }) {
  const headers = Object.entries(attempt.request_headers ?? {});
  return (
    <li className="border-l-2 pl-3 text-table">
      <div className="flex flex-wrap items-center gap-x-3">
        <Status tone={attempt.ok ? "online" : "error"}>{attempt.ok ? "Delivered" : "Failed"}</Status>
        <span className="tabular-nums">
          {attempt.status_code !== null && `${attempt.status_code}, `}
          {formatDuration(attempt.duration_ms)}
        </span>
        <span className="ml-auto text-meta text-subtle">
          {number}. <InstantTime value={attempt.started_at} />
        </span>
      </div>
      {attempt.error && <p className="break-words text-error-text">{attempt.error}</p>}
      {(headers.length > 0 || attempt.response) && (
        <details open={open} className="mt-1">
          <summary className="cursor-pointer rounded-control text-meta text-muted">
            Request headers and response
          </summary>
          {headers.length > 0 && (
            <dl className="mt-1 flex flex-col font-mono text-meta leading-5">
              {headers.map(([name, value]) => (
                <div key={name} className="break-all">
                  <dt className="inline text-subtle">{name}: </dt>
                  <dd className="inline">{value}</dd>
                </div>
              ))}
            </dl>
          )}
          {attempt.response && (
            <pre
              tabIndex={0}
              aria-label="Response"
              className="mt-1 max-h-40 overflow-auto rounded-control bg-background px-2 py-1 font-mono text-meta break-all whitespace-pre-wrap"
            >
              {attempt.response}
            </pre>
          )}
        </details>
      )}
    </li>
  );
}

/** A text in single quotes, as a shell reads it. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const named = /^(content-type|webhook-|x-service-)/i;

/** The command that sends a delivery's last request again, with its signature. */
function buildCurl(url: string, { body, attempt_log: attempts }: Pick<DeliveryView, "body" | "attempt_log">): string {
  const headers = Object.entries(attempts.at(-1)?.request_headers ?? { "content-type": "application/json" });
  return [
    `curl -X POST ${quote(url)}`,
    ...headers.filter(([name]) => named.test(name)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-binary ${quote(body)}`,
  ].join(" \\\n  ");
}
