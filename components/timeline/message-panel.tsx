"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LineChart } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { CopyButton } from "@/components/kit/copy-button";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { Switch } from "@/components/kit/switch";
import { exactLabel } from "@/components/plots/axis-labels";
import { PanelError } from "@/components/product/panel-error";
import { describeAbsence } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import { useTRPC } from "@/components/trpc/client";
import { AgeNote } from "./age-note";
import { useDebouncedPlayhead } from "./debounced";
import { dragField } from "./field-drop";
import { MessageTree } from "./message-tree-view";
import { maxPlots } from "./query";
import { useTimeline } from "./timeline-context";
import { formatPath, parsePath } from "./topic-path";

/** The last message of the focused topic at or before the playhead, decoded, and what changed since the one before it. */
export default function MessagePanel() {
  const { axis, recording, topic, focusTopic, readOnly } = useTimeline();
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const [compares, setCompares] = useState(false);
  const [selected, setSelected] = useState<string | null>(null);
  const playhead = useDebouncedPlayhead(axis, 250);
  const name = topic ?? recording.topics[0]?.name ?? "";
  const at = axis.ns(playhead);
  const query = useQuery({
    ...trpc.recordings.messages.queryOptions(
      { uid: recording.uid, topic: name, at: String(at), limit: 4 },
      { staleTime: 5 * 60_000 },
    ),
    enabled: name !== "",
    placeholderData: keepPreviousData,
  });
  if (name === "") return <p className="p-4 text-table text-muted">This recording holds no messages.</p>;
  const messages = query.data?.messages ?? [];
  const latest = messages.findLastIndex(({ log_time_ns }) => BigInt(log_time_ns) <= at);
  const message = messages[latest] ?? messages[0];
  const before = latest > 0 ? messages[latest - 1] : undefined;
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
        <PanelError error={query.error} title="The message could not be read" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <SkeletonText lines={6} />
      ) : !message ? (
        <p className="text-table text-muted">{describeAbsence(name, null, null)}</p>
      ) : (
        <>
          <p className="text-meta text-muted tabular-nums">
            {exactLabel(axis, axis.seconds(BigInt(message.log_time_ns)), zone)}, {formatNumber(message.size_bytes, 0)}{" "}
            bytes
            {BigInt(message.log_time_ns) > at && ", the first after the playhead"}
            <AgeNote topic={name} seconds={Number(at - BigInt(message.log_time_ns)) / 1e9} />
          </p>
          {message.error === null ? (
            <>
              <div className="flex items-center justify-between gap-2">
                <Switch
                  checked={compares}
                  onCheckedChange={setCompares}
                  label={`Only what changed${before ? ` in ${formatGap(message, before)}` : ""}`}
                  disabledReason={before ? undefined : "This is the topic's first message."}
                />
                <CopyButton text={JSON.stringify(message.value, null, 2)} name="Copy the message as JSON" />
              </div>
              {selected !== null && <SelectedField topic={name} field={selected} />}
              <div
                className="max-h-[60vh] overflow-auto font-mono text-meta"
                tabIndex={0}
                role="group"
                aria-label="Message"
              >
                <MessageTree
                  key={name}
                  value={message.value}
                  before={compares && before?.error === null ? before.value : undefined}
                  onlyChanges={compares}
                  drag={(field) => (readOnly ? {} : dragField(formatPath({ topic: name, field })))}
                  selected={selected}
                  onSelect={(path) => setSelected(path === selected ? null : path)}
                />
              </div>
            </>
          ) : (
            <p className="text-table text-warning-text">
              <UnshownMessage
                reason={message.error}
                message={{ topic: name, time: BigInt(message.log_time_ns) }}
                isRaw
              />
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** The path of the chosen field, to copy or to plot. */
function SelectedField({ topic, field }: { topic: string; field: string }) {
  const { recording, plots, setPlots } = useTimeline();
  const path = formatPath({ topic, field });
  const canPlot = parsePath(path, recording.topics) !== null && !plots.includes(path) && plots.length < maxPlots;
  return (
    <div className="flex flex-wrap items-center gap-x-2 rounded-control bg-surface px-2 py-1">
      <span className="min-w-0 flex-1 font-mono text-meta wrap-anywhere">{path}</span>
      <CopyButton text={path} name="Copy the path" />
      {canPlot && (
        <Button size="sm" icon={<LineChart aria-hidden />} onClick={() => setPlots([...plots, path])}>
          Plot
        </Button>
      )}
    </div>
  );
}

/** The time between two messages. */
const formatGap = (message: { log_time_ns: string }, before: { log_time_ns: string }): string =>
  formatDuration(Number(BigInt(message.log_time_ns) - BigInt(before.log_time_ns)) / 1e6);
