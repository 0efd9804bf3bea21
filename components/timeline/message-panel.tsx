"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CodeBlock } from "@/components/kit/code-block";
import { formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { exactLabel } from "@/components/plots/axis-labels";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { useDebouncedPlayhead } from "./debounced";
import { useTimeline } from "./timeline-context";

const maxChars = 20_000;

/** The last message of the focused topic at or before the playhead, decoded. */
export default function MessagePanel() {
  const { axis, recording, topic, focusTopic } = useTimeline();
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const playhead = useDebouncedPlayhead(axis, 250);
  const name = topic ?? recording.topics[0]?.name ?? "";
  const at = axis.ns(playhead);
  const query = useQuery({
    ...trpc.recordings.messages.queryOptions(
      { uid: recording.uid, topic: name, at: String(at), limit: 2 },
      { staleTime: 5 * 60_000 },
    ),
    enabled: name !== "",
    placeholderData: keepPreviousData,
  });
  if (name === "") return <p className="p-4 text-table text-muted">This recording holds no messages.</p>;
  const messages = query.data?.messages ?? [];
  const message = messages.findLast(({ log_time_ns }) => BigInt(log_time_ns) <= at) ?? messages[0];
  const text = message ? JSON.stringify(message.value, null, 2) : "";
  return (
    <div className="flex flex-col gap-2 p-3">
      <Select
        aria-label="Topic of the message"
        value={name}
        onValueChange={focusTopic}
        options={recording.topics.slice(0, 300).map((each) => ({ value: each.name, label: each.name }))}
        className="font-mono"
      />
      {query.error && !query.data ? (
        <ErrorState
          error={query.error}
          title="The message could not be read"
          onRetry={() => void query.refetch()}
          className="py-6"
        />
      ) : !query.data ? (
        <SkeletonText lines={6} />
      ) : !message ? (
        <p className="text-table text-muted">No message on this topic here.</p>
      ) : (
        <>
          <p className="text-meta text-muted tabular-nums">
            {exactLabel(axis, axis.seconds(BigInt(message.log_time_ns)), zone)}, {formatNumber(message.size_bytes, 0)}{" "}
            bytes
            {BigInt(message.log_time_ns) > at && ", the first after the playhead"}
          </p>
          {message.error === null ? (
            <>
              <CodeBlock code={text.slice(0, maxChars)} className="max-h-[60vh] overflow-auto" />
              {text.length > maxChars && (
                <p className="text-meta text-subtle">
                  Only the first {formatNumber(maxChars, 0)} characters are shown.
                </p>
              )}
            </>
          ) : (
            <p className="text-table text-warning-text">{message.error}</p>
          )}
        </>
      )}
    </div>
  );
}
