"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ListFilter } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { exactLabel } from "@/components/plots/axis-labels";
import { LogLevelMark } from "@/components/product/log-level";
import { PanelError } from "@/components/product/panel-error";
import { UnshownMessage } from "@/components/product/unshown-message";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { isLogSchema, logLevels, type LogLevel } from "@/engine/messages/texts/log-line";

const levelOptions = logLevels.map((level) => ({ value: level, label: `${level} and above` }));

/** Which lines are listed: those of a level and above, with a text in them. */
interface LogFilter {
  level: LogLevel;
  search: string;
}

/** The lines of the recording's logs around the playhead. */
export default function LogPanel() {
  const [filter, setFilter] = useState<LogFilter>({ level: "debug", search: "" });
  return <LogLines filter={filter} onFilter={setFilter} />;
}

interface LogLinesProps {
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  /** Whether the controls of the filter open on demand, so that a small panel shows lines. */
  isCompact?: boolean;
}

/** The same with a filter that is kept elsewhere; each line leads to its moment. */
export function LogLines({ filter, onFilter, isCompact = false }: LogLinesProps) {
  const { axis, recording, session } = useTimeline();
  const { zone } = useTimeZone();
  const { level: least, search } = filter;
  const [isOpened, setOpened] = useState(false);
  // What leaves lines out is always seen.
  const isActive = least !== "debug" || search !== "";
  const isFiltering = !isCompact || isOpened || isActive;
  const topics = recording.topics.filter(({ schema }) => isLogSchema(schema)).map(({ name }) => name);
  const at = axis.ns(useDebouncedPlayhead(axis, 200));
  const query = useQuery({
    queryKey: ["recording-logs", recording.uid, topics, String(at)],
    queryFn: () => session.readLogs(topics, at),
    enabled: topics.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 30_000,
  });
  const wanted = search.trim().toLowerCase();
  const lines = (query.data?.lines ?? []).filter(
    ({ level, text, node }) =>
      logLevels.indexOf(level ?? "info") >= logLevels.indexOf(least) &&
      `${node} ${text}`.toLowerCase().includes(wanted),
  );
  const current = lines.findLastIndex(({ time }) => time <= at);
  const list = useFollowing(current);
  const toLabel = (ns: bigint) => exactLabel(axis, axis.seconds(ns), zone);
  if (topics.length === 0)
    return <p className="p-4 text-table text-muted">This recording holds no log that can be read.</p>;
  return (
    <div className={cn("flex flex-col", isCompact ? "gap-1 px-3 py-1" : "gap-2 p-3")}>
      {isFiltering && (
        <div className="flex gap-2">
          <Select
            aria-label="Levels shown"
            value={least}
            onValueChange={(level) => onFilter({ ...filter, level })}
            options={levelOptions}
          />
          <Input
            value={search}
            onValueChange={(search) => onFilter({ ...filter, search })}
            placeholder="Find in lines"
            aria-label="Find in log lines"
          />
        </div>
      )}
      {query.error && !query.data ? (
        <PanelError error={query.error} title="The log could not be read" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <SkeletonText lines={6} />
      ) : (
        <>
          <div className="flex items-center gap-2">
            <p className="min-w-0 flex-1 text-meta text-subtle tabular-nums">
              {plural(lines.length, "line")} between {toLabel(query.data.range.start)} and{" "}
              {toLabel(query.data.range.end)}
            </p>
            {isCompact && !isActive && (
              <IconButton
                size="sm"
                label={isFiltering ? "Close the filter of lines" : "Filter lines"}
                aria-expanded={isFiltering}
                icon={<ListFilter aria-hidden />}
                onClick={() => setOpened(!isOpened)}
              />
            )}
          </div>
          <ol ref={list} aria-label="Log lines" className="@container -mx-3 font-mono text-meta">
            {lines.map(({ time, topic, level, text, node }, index) => (
              <li key={`${time} ${topic} ${index}`} aria-current={index === current || undefined}>
                <button
                  type="button"
                  onClick={() => axis.play(axis.seconds(time))}
                  className={cn(
                    // The text gets a line of its own where there is little room beside the time.
                    "flex w-full gap-x-2 px-3 py-0.5 text-left -outline-offset-2! hover:bg-hover @max-2xs:flex-wrap",
                    index === current && "bg-selected",
                    index > current && "text-subtle",
                  )}
                >
                  <span className="shrink-0 text-subtle tabular-nums">{toLabel(time)}</span>
                  <LogLevelMark level={level} />
                  <span className="min-w-0 break-words @max-2xs:basis-full">
                    {node && <span className="text-subtle">{node}: </span>}
                    {text}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          {query.data.unreadable > 0 && (
            <p className="text-meta text-warning-text">
              {plural(query.data.unreadable, "line")} could not be read.{" "}
              {query.data.unread && <UnshownMessage reason={query.data.unread.reason} message={query.data.unread} />}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** Keeps the current line in view, unless somebody works in the list. */
function useFollowing(current: number) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const item = list.current?.children[current];
    const box = list.current?.closest("[data-scrolls]");
    if (!(item instanceof HTMLElement) || !box || list.current?.contains(document.activeElement)) return;
    const top = item.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    const bottom = top + item.offsetHeight;
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }, [current]);
  return list;
}
