"use client";

import { useMemo, useState } from "react";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { exactLabel } from "@/components/plots/axis-labels";
import { PanelError } from "@/components/product/panel-error";
import { describeNone } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useLatestMessage } from "@/components/recording/session/use-latest-message";
import { AgeNote } from "./age-note";
import { createNoteValue } from "./field-notes";
import { flattenMessage } from "./message-rows";
import { MessageTable } from "./message-table";

type Rows = "latest" | "all";
const choices: { value: Rows; label: string }[] = [
  { value: "latest", label: "Latest" },
  { value: "all", label: "All messages" },
];

/** A topic as a table: the values of its last message at the playhead, or all of its messages, a column for each field. */
export default function TablePanel() {
  const { recording, topic, focusTopic } = useTimeline();
  const [rows, setRows] = useState<Rows>("latest");
  const name = topic ?? recording.topics[0]?.name ?? "";
  if (name === "") return <p className="p-4 text-table text-muted">This recording holds no messages.</p>;
  return <TopicTable topic={name} onTopic={focusTopic} rows={rows} onRows={setRows} />;
}

interface TopicTableProps {
  topic: string;
  onTopic: (topic: string) => void;
  rows: Rows;
  onRows: (rows: Rows) => void;
}

/** The same where the topic and the choice are kept elsewhere. */
export function TopicTable({ topic: name, onTopic, rows, onRows }: TopicTableProps) {
  const { recording } = useTimeline();
  return (
    <div className="flex h-full min-h-80 flex-col gap-2 p-3">
      <Select
        aria-label="Topic of the table"
        value={name}
        onValueChange={onTopic}
        options={recording.topics.slice(0, 300).map((each) => ({ value: each.name, label: each.name }))}
        className="shrink-0 font-mono"
      />
      <RadioGroup
        layout="segments"
        aria-label="Messages in the table"
        options={choices}
        value={rows}
        onValueChange={onRows}
        className="shrink-0 self-start"
      />
      {rows === "latest" ? <LatestMessage topic={name} /> : <MessageTable key={name} topic={name} />}
    </div>
  );
}

function LatestMessage({ topic }: { topic: string }) {
  const { axis, recording } = useTimeline();
  const { zone } = useTimeZone();
  const { query, data, at, message } = useLatestMessage(topic);
  const known = recording.topics.find(({ name }) => name === topic);
  const noteValue = useMemo(() => createNoteValue(known, message?.value), [known, message?.value]);
  if (query.error && !data) {
    return (
      <PanelError error={query.error} title="The message could not be read" onRetry={() => void query.refetch()} />
    );
  }
  if (!data) return <SkeletonText lines={6} />;
  if (!message) return <p className="text-table text-muted">{describeNone(topic)}</p>;
  const ns = BigInt(message.log_time_ns);
  const cell = "border-b px-2 py-0.5 text-left align-top wrap-anywhere";
  return (
    <>
      <p className="text-meta text-muted tabular-nums">
        {exactLabel(axis, axis.seconds(ns), zone)}
        {ns > at && ", the first after the playhead"}
        <AgeNote topic={topic} seconds={Number(at - ns) / 1e9} />
      </p>
      {message.error === null ? (
        <table aria-label={`Latest message of ${topic}`} className="w-full font-mono text-meta">
          <thead className="text-muted">
            <tr>
              <th scope="col" className={cell}>
                Field
              </th>
              <th scope="col" className={cell}>
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {[...flattenMessage(message.value)].map(([path, value]) => {
              const { text, note } = noteValue(path, value);
              return (
                <tr key={path}>
                  <th scope="row" className={`${cell} font-normal text-muted`}>
                    {path}
                  </th>
                  <td className={cell}>
                    {typeof value === "string" ? value : text}
                    {note !== null && <span className="text-subtle"> {note}</span>}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      ) : (
        <p className="text-table text-warning-text">
          <UnshownMessage reason={message.error} message={{ topic, time: ns }} />
        </p>
      )}
    </>
  );
}
