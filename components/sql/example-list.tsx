"use client";

import { useId, useMemo } from "react";
import { exampleQueries } from "./examples";
import type { Table } from "./query";

/** Queries to begin with, over a topic that is there. A press writes one into the editor. */
export function ExampleList({ tables, onPick }: { tables: readonly Table[]; onPick: (sql: string) => void }) {
  const titleId = useId();
  const examples = useMemo(() => exampleQueries(tables), [tables]);
  return (
    <section aria-labelledby={titleId} className="max-w-176 shrink-0 px-4 py-4 sm:px-6">
      <h2 id={titleId} className="mb-2 text-table font-medium">
        Begin with an example
      </h2>
      <ul className="flex flex-col gap-2">
        {examples.map(({ label, sql }) => (
          <li key={label}>
            <button
              type="button"
              className="w-full min-w-0 rounded-panel border bg-raised px-3 py-2 text-left hover:bg-hover"
              onClick={() => onPick(sql)}
            >
              <span className="block text-table wrap-break-word">{label}</span>
              <span aria-hidden className="block truncate font-mono text-meta text-subtle">
                {sql.replaceAll("\n", " ")}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
