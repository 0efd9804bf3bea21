"use client";

import { useQuery } from "@tanstack/react-query";
import { cn } from "@/components/kit/cn";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { isFoundLate } from "@/domain/alerts/found-late";
import type { AlertDetail } from "./query";

type Entry = Outputs["alerts"]["timeline"]["results"][number];

const eventLabels: Record<string, string> = {
  "alert.triggered": "that the alert triggered",
  "alert.acknowledged": "that it was acknowledged",
  "alert.resolved": "that it was resolved",
  "alert.reopened": "that it was reopened",
};

const statusLabels: Record<string, string> = {
  pending: "Waiting to notify",
  delivered: "Notified",
  failed: "Could not notify",
  canceled: "Did not notify",
};

/** `alert.triggered to Ops: The receiver answered 500.` as a sentence. */
function describeDelivery({ action, text }: Entry): { title: string; error: string | null } {
  const match = /^(\S+) to ([\s\S]*)$/.exec(text);
  const event = match?.[1] ?? "";
  const rest = match?.[2] ?? text;
  const colon = action === "failed" || action === "pending" ? rest.indexOf(": ") : -1;
  const name = colon < 0 ? rest : rest.slice(0, colon);
  return {
    title: `${statusLabels[action] ?? action} ${name} ${eventLabels[event] ?? event}`,
    error: colon < 0 ? null : rest.slice(colon + 2),
  };
}

const isoInText = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

function EntryText({ entry }: { entry: Entry }) {
  if (entry.kind === "delivery") {
    const { title, error } = describeDelivery(entry);
    return (
      <>
        <span className={cn(entry.action === "failed" && "text-error-text")}>{title}</span>
        {error && <span className="block text-meta break-words text-muted">{error}</span>}
      </>
    );
  }
  if (entry.kind === "triggered") return <>Triggered: {entry.text}</>;
  if (entry.kind === "comment") {
    return (
      <>
        <span className="font-medium">{entry.actor}</span> commented
        <span className="mt-1 block rounded-panel border bg-surface px-3 py-2 break-words whitespace-pre-wrap">
          {entry.text}
        </span>
      </>
    );
  }
  const time = isoInText.exec(entry.text)?.[0];
  return (
    <>
      {time ? (
        <>
          {entry.text.slice(0, entry.text.indexOf(time)).replace(/until $/, "")}
          <RelativeTime value={time} />
        </>
      ) : (
        entry.text
      )}
      {entry.actor && <span className="text-muted"> by {entry.actor}</span>}
    </>
  );
}

const dots: Record<Entry["kind"], string> = {
  triggered: "bg-foreground",
  change: "bg-accent",
  comment: "bg-accent",
  delivery: "bg-border-strong",
};

/** When it happened, and when it was found where that was later: `Found 34 s ago, triggered 6 d ago`. */
function EntryTime({ entry: { at, kind }, foundAt }: { entry: Entry; foundAt: string }) {
  if (kind !== "triggered" || !isFoundLate(foundAt, at)) return <RelativeTime value={at} />;
  return (
    <span className="flex flex-col items-end">
      <span>
        Found <RelativeTime value={foundAt} />,
      </span>
      <span>
        triggered <RelativeTime value={at} />
      </span>
    </span>
  );
}

/** Everything that happened to the alert, oldest first: triggered, notified, acknowledged, commented on, resolved. */
export function AlertTimeline({ alert }: { alert: Pick<AlertDetail, "uid" | "created_at"> }) {
  const { uid, created_at: foundAt } = alert;
  const trpc = useTRPC();
  const query = useQuery(trpc.alerts.timeline.queryOptions({ uid }));
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title="The timeline could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <SkeletonText lines={4} />;
  return (
    <ol className="flex flex-col">
      {query.data.results.map((entry, at) => (
        <li key={`${entry.at} ${entry.kind} ${at}`} className="relative flex gap-3 pb-3 text-table last:pb-0">
          <span aria-hidden className="relative flex w-2 shrink-0 justify-center">
            <span
              className={cn(
                "mt-1.5 size-2 rounded-full",
                entry.kind === "delivery" && entry.action === "failed" ? "bg-error" : dots[entry.kind],
              )}
            />
            <span
              className={cn(
                "absolute top-4 bottom-[-0.375rem] w-px bg-border",
                at === query.data.results.length - 1 && "hidden",
              )}
            />
          </span>
          <div className="min-w-0 flex-1 wrap-anywhere">
            <EntryText entry={entry} />
          </div>
          <span className="shrink-0 text-meta text-subtle">
            <EntryTime entry={entry} foundAt={foundAt} />
          </span>
        </li>
      ))}
    </ol>
  );
}
