"use client";

import { LineChart } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { CopyButton } from "@/components/kit/copy-button";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { Switch } from "@/components/kit/switch";
import { exactLabel } from "@/components/plots/axis-labels";
import { PanelError } from "@/components/product/panel-error";
import { describeNone } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import { dragField } from "@/components/recording/session/field-drop";
import { maxPlots } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath, parsePath } from "@/components/recording/session/topic-path";
import { useLatestMessage } from "@/components/recording/session/use-latest-message";
import { isBatterySchema } from "@/engine/messages/texts/battery";
import { AgeNote } from "./age-note";
import { BatteryCard } from "./battery-card";
import { createNoteValue } from "./field-notes";
import { describeUnread } from "./message-bytes";
import { MessageBytes } from "./message-bytes-view";
import { listMessageNotes } from "./message-notes";
import { MessageTree } from "./message-tree-view";

/** The last message of the focused topic at or before the playhead, decoded, and what changed since the one before it. */
export default function MessagePanel() {
  const { axis, recording, topic, focusTopic, readOnly } = useTimeline();
  const { zone } = useTimeZone();
  const [compares, setCompares] = useState(false);
  const [selected, setSelected] = useState<string | null>(null);
  const name = topic ?? recording.topics[0]?.name ?? "";
  const { query, data, at, messages, message, before } = useLatestMessage(name);
  const known = recording.topics.find((each) => each.name === name);
  const noteValue = useMemo(() => createNoteValue(known, message?.value), [known, message?.value]);
  if (name === "") return <p className="p-4 text-table text-muted">This recording holds no messages.</p>;
  const notes = message ? listMessageNotes(known?.schema ?? "", message.value, BigInt(message.log_time_ns)) : [];
  return (
    <div className="flex flex-col gap-2 p-3">
      <Select
        aria-label="Topic of the message"
        value={name}
        onValueChange={focusTopic}
        options={recording.topics.slice(0, 300).map((each) => ({ value: each.name, label: each.name }))}
        className="font-mono"
      />
      {query.error && !data ? (
        <PanelError error={query.error} title="The message could not be read" onRetry={() => void query.refetch()} />
      ) : !data ? (
        <SkeletonText lines={6} />
      ) : !message ? (
        <p className="text-table text-muted">{describeNone(name)}</p>
      ) : (
        <>
          <p className="text-meta text-muted tabular-nums">
            {exactLabel(axis, axis.seconds(BigInt(message.log_time_ns)), zone)}, {formatNumber(message.size_bytes, 0)}{" "}
            bytes
            {BigInt(message.log_time_ns) > at && ", the first after the playhead"}
            <AgeNote topic={name} seconds={Number(at - BigInt(message.log_time_ns)) / 1e9} />
          </p>
          {notes.map((note) => (
            <p key={note} className="text-meta text-warning-text">
              {note}.
            </p>
          ))}
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
              {isBatterySchema(data.schema) && <BatteryCard value={message.value} topic={name} />}
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
                  noteValue={noteValue}
                  drag={(field) => (readOnly ? {} : dragField(formatPath({ topic: name, field })))}
                  selected={selected}
                  onSelect={(path) => setSelected(path === selected ? null : path)}
                />
              </div>
            </>
          ) : (
            <>
              {known?.error != null && (
                <p className="text-table text-warning-text">
                  {describeUnread(
                    data.encoding,
                    messages.map(({ size_bytes: size }) => size),
                    known.frequency_hz,
                  )}
                </p>
              )}
              <p className={known?.error == null ? "text-table text-warning-text" : "text-meta text-muted"}>
                <UnshownMessage
                  reason={message.error}
                  message={{ topic: name, time: BigInt(message.log_time_ns) }}
                  isRaw
                />
              </p>
              {message.head !== null && <MessageBytes base64={message.head} size={message.size_bytes} />}
            </>
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
