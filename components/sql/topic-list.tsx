"use client";

import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { Disclosure } from "@/components/kit/disclosure";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { ownColumns } from "./completion";
import { quoteName, type Table } from "./query";

/** Topics and fields that are drawn at once; the search finds the others. */
const maxShown = 200;

const itemStyles = "flex w-full min-w-0 items-baseline gap-2 rounded-control px-1.5 py-0.5 text-left hover:bg-hover";

/** The topics that queries can read, each with its columns. A press writes the name into the query. */
export function TopicList({ onTopic, onName }: { onTopic: (topic: string) => void; onName: (name: string) => void }) {
  const query = useQuery(useTRPC().signals.tables.queryOptions());
  const [text, setText] = useState("");
  if (query.error && !query.data)
    return <ErrorState error={query.error} title="Topics could not be loaded" onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonText className="p-4" />;
  const { results, truncated } = query.data;
  const needle = text.trim().toLowerCase();
  const found = results.filter(
    ({ topic, fields }) =>
      topic.toLowerCase().includes(needle) || fields.some(({ path }) => path.toLowerCase().includes(needle)),
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="p-3">
        <Input
          aria-label="Search topics and fields"
          placeholder="Search topics and fields"
          value={text}
          onValueChange={setText}
          before={<Search aria-hidden />}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <ul aria-label="Topics" className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {found.slice(0, maxShown).map((table) => (
          <Topic key={table.topic} table={table} needle={needle} onTopic={onTopic} onName={onName} />
        ))}
      </ul>
      {(found.length === 0 || found.length > maxShown || truncated) && (
        <p className="px-4 pb-3 text-meta text-subtle">
          {results.length === 0
            ? "No recording has signals yet."
            : found.length === 0
              ? "No topic and no field matches."
              : found.length > maxShown
                ? `${plural(found.length - maxShown, "more topic")}: search for them.`
                : "There are more topics. Queries can read them too."}
        </p>
      )}
    </div>
  );
}

function Topic(props: {
  table: Table;
  needle: string;
  onTopic: (topic: string) => void;
  onName: (name: string) => void;
}) {
  const { table, needle, onTopic, onName } = props;
  const [open, setOpen] = useState(false);
  const matching = table.fields.filter(({ path }) => path.toLowerCase().includes(needle));
  const fields = needle === "" || matching.length === 0 ? table.fields : matching;
  const columns = [...ownColumns, ...fields.slice(0, maxShown)];
  return (
    <li className="flex items-start">
      <Disclosure
        open={open}
        onOpenChange={setOpen}
        className="min-w-0 flex-1"
        label={
          <span className="min-w-0 font-mono break-all" title={table.topic}>
            {table.topic}
          </span>
        }
      >
        {open && (
          <ul aria-label={`Columns of ${table.topic}`} className="pb-2 pl-4">
            <li>
              <button
                type="button"
                className={`${itemStyles} text-table text-accent-text`}
                onClick={() => onTopic(table.topic)}
              >
                Use this topic
              </button>
            </li>
            {columns.map(({ path, type }, at) => (
              <li key={path}>
                <button
                  type="button"
                  className={itemStyles}
                  onClick={() => onName(at < ownColumns.length ? path : quoteName(path))}
                >
                  <span className="min-w-0 font-mono text-table break-all">{path}</span>
                  <span className="ml-auto shrink-0 text-meta text-subtle">{type}</span>
                </button>
              </li>
            ))}
            {fields.length > maxShown && (
              <li className="px-1.5 text-meta text-subtle">
                {plural(fields.length - maxShown, "more field")}: search for them.
              </li>
            )}
          </ul>
        )}
      </Disclosure>
    </li>
  );
}
