"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { formatCompact, formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { TruncateMiddle } from "@/components/kit/truncate";
import { dragField } from "@/components/recording/session/field-drop";
import { maxPlots } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath } from "@/components/recording/session/topic-path";

const maxFields = 60;
const maxTopics = 200;

/** Every topic with its schema, count and rate; opened, its fields with a way to plot each. */
export default function TopicPanel() {
  const { recording, plots, setPlots, topic: focused, focusTopic, readOnly } = useTimeline();
  const [search, setSearch] = useState("");
  /** Those that were opened or closed here; the others are open while they are in focus. */
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (name: string) => chosen.get(name) ?? focused === name;
  const found = recording.topics.filter(({ name, schema }) =>
    `${name} ${schema}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <div className="pb-6">
      <div className="p-2">
        <Input
          value={search}
          onValueChange={setSearch}
          placeholder="Find a topic or schema"
          aria-label="Find a topic or schema"
        />
      </div>
      {found.slice(0, maxTopics).map((topic) => (
        <details key={topic.name} open={isOpen(topic.name)} className="group/topic border-b">
          <summary
            className="flex cursor-pointer list-none flex-col px-4 py-1.5 -outline-offset-2! hover:bg-hover [&::-webkit-details-marker]:hidden"
            onClick={(event) => {
              // The browser would close again what the focus opened.
              event.preventDefault();
              setChosen(new Map([...chosen, [topic.name, !isOpen(topic.name)]]));
              focusTopic(topic.name);
            }}
          >
            <TruncateMiddle text={topic.name} tail={20} className="font-mono text-meta" />
            <span className="flex gap-2 text-meta text-muted">
              <span className="min-w-0 flex-1 truncate" title={topic.schema}>
                {topic.schema || "no schema"}
              </span>
              <span className="tabular-nums">{formatCompact(Number(topic.message_count))}</span>
              <span className="tabular-nums">{formatNumber(topic.frequency_hz, 1)} Hz</span>
            </span>
          </summary>
          {topic.error && <p className="px-4 pb-2 text-meta text-warning-text">{topic.error}</p>}
          <ul className="pb-1">
            {topic.fields
              .filter(({ kind }) => kind !== "time")
              .slice(0, maxFields)
              .map((field) => {
                const path = formatPath({ topic: topic.name, field: field.path });
                const shown = plots.includes(path);
                return (
                  <li
                    key={field.path}
                    {...(readOnly ? {} : dragField(path))}
                    className="flex items-center gap-2 pr-2 pl-6 text-meta"
                  >
                    <span className="min-w-0 flex-1 truncate font-mono" title={field.path}>
                      {field.path}
                    </span>
                    <span className="text-subtle">{typeof field.unit === "string" ? field.unit : field.kind}</span>
                    <IconButton
                      size="sm"
                      label={shown ? `${path} is plotted` : `Plot ${path}`}
                      disabled={shown || plots.length >= maxPlots}
                      icon={<Plus aria-hidden />}
                      onClick={() => setPlots([...plots, path])}
                    />
                  </li>
                );
              })}
            {topic.long_lists.map(({ path, elements }) => (
              <li key={path} className="flex items-center gap-2 px-6 text-meta">
                <span className="min-w-0 flex-1 truncate font-mono" title={path}>
                  {path}
                </span>
                <span className="text-subtle">{plural(elements, "element")}: not kept as fields</span>
              </li>
            ))}
          </ul>
          {topic.fields.length > maxFields && (
            <p className="px-6 pb-2 text-meta text-subtle">
              {topic.fields.length - maxFields} more: add them by their path.
            </p>
          )}
        </details>
      ))}
      {found.length === 0 && <p className="px-4 text-table text-muted">No topic matches.</p>}
      {found.length > maxTopics && (
        <p className="px-4 py-2 text-meta text-subtle">{found.length - maxTopics} more: narrow the search.</p>
      )}
    </div>
  );
}
